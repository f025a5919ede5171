import type { Json } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { readError, readStepFacts } from "./step-facts.ts";

const host = { isHost: true };
const user = { isHost: false };
const general = "Something went wrong in this service.";

const member = { text: "Yes.", toolCalls: [], usage: { totalTokens: 3 } };

describe("readStepFacts", () => {
  it.each<[what: string, step: string, value: Json]>([
    ["a model call", "m/0", { response: { text: "Hi." } }],
    ["a model call of a child run", "t/0/1/m/12", { response: { text: "Hi." } }],
    ["the input", "in", "Hi."],
    ["the input of a child run", "t/0/0/in", "Hi."],
    ["a guardrail", "g/out-0", "Hi."],
    ["a value that was stored as it is", "x", "Hi."],
    ["a value", "w/add", { value: "Hi." }],
    ["the change of a workflow's step", "w/add", { value: { partial: "Hi." } }],
    ["the text of a member", "d/0", { value: { ...member, text: "Hi." }, text: "no" }],
  ])("reads the output of %s", (_, step, value) => {
    expect(readStepFacts(step, value, user)).toStrictEqual({ output: "Hi." });
  });

  it("takes an input for no failure and no value, whatever its fields are", () => {
    for (const value of [{ error: { code: "timeout" } }, { value: 1, again: true }])
      expect(readStepFacts("in", value, user)).toStrictEqual({ output: value });
  });

  it("reads the one call of a model", () => {
    const response = { toolCalls: [{ name: "look", arguments: {} }] };
    expect(readStepFacts("m/0", { response }, user)).toStrictEqual({ calls: [{ name: "look", args: {} }] });
  });

  it("reads all of a model call", () => {
    const response = {
      text: "Hi.",
      thinking: "Hm.",
      toolCalls: [
        { id: "t1", name: "look", arguments: { at: "it" } },
        { id: "t2", name: "wait" },
      ],
      model: "m-1",
      finishReason: "tool_calls",
      usage: { totalTokens: 1 },
    };
    expect(readStepFacts("m/1", { response }, user)).toStrictEqual({
      output: "Hi.",
      thinking: "Hm.",
      calls: [
        { name: "look", args: { at: "it" } },
        { name: "wait", args: null },
      ],
      model: "m-1",
      finishReason: "tool_calls",
    });
  });

  it.each<[what: string, value: Json]>([
    ["null", null],
    ["a text", "Hi."],
    ["no response", {}],
    ["a response without anything", { response: {} }],
    ["empty texts", { response: { text: "", thinking: "", model: "", finishReason: "", toolCalls: [] } }],
    ["other types", { response: { text: 1, thinking: {}, model: null, finishReason: [], toolCalls: "look" } }],
  ])("reads nothing of a model call that has %s", (_, value) => {
    expect(readStepFacts("m/0", value, host)).toStrictEqual({});
  });

  it("shows the first 100 calls of a model", () => {
    const toolCalls = Array.from({ length: 101 }, (_each, index) => ({ name: `n${index}`, arguments: {} }));
    const { calls } = readStepFacts("m/0", { response: { toolCalls } }, user);
    expect(calls).toEqual(toolCalls.slice(0, 100).map(({ name }) => ({ name, args: {} })));
  });

  describe("of a tool call", () => {
    const call = { toolCallId: "t1", toolName: "look", args: { at: "it" }, result: "Seen." };
    const shown = { toolName: "look", args: { at: "it" } };

    it.each<[what: string, more: object, facts: object]>([
      ["its result", {}, { output: "Seen." }],
      ["its result without artifacts", { artifacts: [] }, { output: "Seen." }],
      ["its artifacts", { artifacts: [{ type: "x" }] }, { output: { result: "Seen.", artifacts: [{ type: "x" }] } }],
      ["no result as null", { result: undefined }, { output: null }],
      ["its failure, without what the model got", { error: "No." }, { error: { code: "tool_failed", message: "No." } }],
      ["an empty failure", { error: "" }, { error: { code: "tool_failed", message: "" } }],
    ])("reads %s", (_, more, facts) => {
      const value = { result: { ...call, ...more } } as Json;
      expect(readStepFacts("t/0/0", value, user)).toStrictEqual({ ...shown, ...facts });
      expect(readStepFacts("a/b/t/12/3", value, user)).toStrictEqual({ ...shown, ...facts });
    });

    it("reads what the model got of a failure for the host alone", () => {
      const value = { result: { ...call, error: "No.", result: "Error: no at line 3" } };
      const error = { code: "tool_failed", message: "No." };
      expect(readStepFacts("t/0/0", value, host)).toStrictEqual({ ...shown, error, output: "Error: no at line 3" });
    });
  });

  it("reads the turn of a child run", () => {
    const turn = { runnable: "payer", input: "Pay.", messages: [] };
    expect(readStepFacts("t/0/0/s/turn", { turn }, user)).toStrictEqual({ runnable: "payer", input: "Pay." });
    expect(readStepFacts("s/turn", { turn: { input: null } }, user)).toStrictEqual({ input: null });
    expect(readStepFacts("s/turn", {}, user)).toStrictEqual({});
  });

  it.each<[what: string, value: Json, facts: object]>([
    ["a failure", { error: { code: "timeout", message: "Late." } }, { error: { code: "timeout", message: "Late." } }],
    [
      "a failure that is repeated",
      { error: { code: "timeout", message: "Late." }, repeats: true },
      { error: { code: "timeout", message: "Late." }, isRepeated: true },
    ],
    [
      "a failure that is not repeated",
      { error: { code: "timeout", message: "Late." }, repeats: "yes", again: true },
      { error: { code: "timeout", message: "Late." } },
    ],
    ["a step that is made again", { again: true, value: 1 }, { isRepeated: true }],
    ["a step that is not made again", { again: 1, value: 1 }, { output: 1 }],
    ["the value 0", { value: 0 }, { output: 0 }],
    ["no value", { value: null }, { output: { value: null } }],
    ["a change that is empty", { value: { partial: null } }, { output: null }],
    ["the thoughts of a member", { value: { ...member, thinking: "Hm." } }, { output: "Yes.", thinking: "Hm." }],
    [
      "the other results of a member",
      { value: { ...member, structured: { a: 1 }, artifacts: null, sources: [{ id: "s" }] } },
      { output: { text: "Yes.", structured: { a: 1 }, sources: [{ id: "s" }] } },
    ],
    [
      "the artifacts of a member",
      { value: { ...member, artifacts: [{ type: "x" }] } },
      { output: { text: "Yes.", artifacts: [{ type: "x" }] } },
    ],
    ["a member within its end", { value: { output: member, finishReason: "stop" } }, { output: "Yes." }],
    ["an output without an end", { value: { output: member } }, { output: { output: member } }],
    ["a text without calls", { value: { text: "Yes." } }, { output: { text: "Yes." } }],
  ])("reads %s", (_, value, facts) => {
    expect(readStepFacts("w/x", value, user)).toStrictEqual(facts);
  });

  it("hides secrets and shortens what is long", () => {
    const facts = readStepFacts(
      "t/0/0",
      { result: { toolName: "x", args: { apiKey: "k" }, result: "ab ".repeat(9000) } },
      user,
    );
    expect(facts.args).toEqual({ apiKey: "[redacted]" });
    expect(facts.output).toMatch(/\(7000 more characters\)$/);
  });
});

describe("readError", () => {
  it.each<[value: unknown, forHost: unknown, forUser: unknown]>([
    [
      { code: "timeout", message: "Late." },
      { code: "timeout", message: "Late." },
      { code: "timeout", message: "Late." },
    ],
    [
      { code: "internal", message: "at x" },
      { code: "internal", message: "at x" },
      { code: "internal", message: general },
    ],
    [
      { code: "invalid_config", message: "at x" },
      { code: "invalid_config", message: "at x" },
      { code: "invalid_config", message: general },
    ],
    [
      { code: "of_later", message: "at x" },
      { code: "of_later", message: "at x" },
      { code: "of_later", message: general },
    ],
    [
      { code: "timeout", message: 7 },
      { code: "timeout", message: "" },
      { code: "timeout", message: "" },
    ],
    [{ code: 7, message: "Late." }, undefined, undefined],
    [{ message: "Late." }, undefined, undefined],
    ["timeout", undefined, undefined],
    [null, undefined, undefined],
    [undefined, undefined, undefined],
  ])("shows of %j to the host %j and to a user %j", (value, forHost, forUser) => {
    expect(readError(value, host)).toEqual(forHost);
    expect(readError(value, user)).toEqual(forUser);
  });
});
