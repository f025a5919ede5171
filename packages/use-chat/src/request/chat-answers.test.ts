import { TroupeError } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import { answeredIds, readAnswers } from "./chat-answers.ts";
import type { SentMessage, UiPart } from "./read-chat.ts";

type Wait = NonNullable<RunView["waits"]>[number];

const wait = (kind: Wait["kind"], id = "w1", toolCallId = "t1"): Wait => ({
  id,
  kind,
  about: { toolName: "pay", args: {} },
  toolCallId,
});
const runOf = (...waits: Wait[]): RunView => ({ waits }) as RunView;
const message = (...parts: object[]): SentMessage => ({ id: "r1", role: "assistant", parts: parts as UiPart[] });
const approval = (fields: object): object => ({ type: "tool-pay", state: "approval-responded", approval: fields });
const output = (fields: object): object => ({
  type: "tool-pay",
  toolCallId: "t1",
  state: "output-available",
  ...fields,
});

const nothing: UiPart = { type: "text", text: "Hi." };

describe("readAnswers", () => {
  it.each<[what: string, part: object, answer: unknown]>([
    ["a leave", approval({ id: "w1", approved: true }), { approved: true }],
    [
      "a refusal with its reason",
      approval({ id: "w1", approved: false, reason: "Too dear." }),
      { approved: false, reason: "Too dear." },
    ],
    ["an empty reason", approval({ id: "w1", approved: true, reason: "" }), { approved: true, reason: "" }],
    ["no reason that is no text", approval({ id: "w1", approved: true, reason: 1 }), { approved: true }],
    ["a result", output({ output: { city: "Oslo" } }), { result: { city: "Oslo" } }],
    ["the result false", output({ output: false }), { result: false }],
    ["no result as null", output({}), { result: null }],
    ["a failure", output({ state: "output-error", errorText: "No." }), { error: "No." }],
    ["the result of a call that has the question's id", output({ toolCallId: "w1", output: 1 }), { result: 1 }],
  ])("reads %s", (_, part, answer) => {
    const kind = "approval" in part ? "approval" : "input";
    expect(readAnswers(runOf(wait(kind)), message(nothing, part))).toEqual([{ waitId: "w1", answer }]);
  });

  it.each<[what: string, kind: Wait["kind"], part: object]>([
    ["a leave for another question", "approval", approval({ id: "w2", approved: true })],
    ["a leave without an id", "approval", approval({ approved: true })],
    ["a leave that is a text", "approval", approval({ id: "w1", approved: "true" })],
    ["a question that has no answer yet", "approval", approval({ id: "w1" })],
    ["a part without an approval", "approval", { type: "tool-pay", toolCallId: "t1" }],
    ["a part whose approval is null", "approval", { type: "tool-pay", approval: null }],
    ["a result in the place of a leave", "approval", output({ output: { approved: true } })],
    ["a leave in the place of a result", "input", approval({ id: "w1", approved: true })],
    ["the result of another call", "input", output({ toolCallId: "t2", output: 1 })],
    ["a result that is not there yet", "input", output({ state: "input-available" })],
    ["a failure without a text", "input", output({ state: "output-error" })],
    ["a failure whose text is none", "input", output({ state: "output-error", errorText: {} })],
    ["an answer to a doubt", "doubt", output({ output: 1 })],
  ])("refuses %s", (_, kind, part) => {
    expect(() => readAnswers(runOf(wait(kind)), message(part))).toThrow(
      new TroupeError("conflict", "The message answers none of the questions that its run waits for."),
    );
  });

  it("refuses an answer to a run that asks nothing", () => {
    const sent = message(approval({ id: "w1", approved: true }));
    for (const run of [runOf(), {} as RunView])
      expect(() => readAnswers(run, sent)).toThrow(expect.objectContaining({ code: "conflict" }) as Error);
  });

  it("reads the answers that are given, in the order of the questions, and the first of two", () => {
    const run = runOf(wait("approval", "w1"), wait("input", "w2", "t2"), wait("approval", "w3", "t3"));
    const sent = message(
      output({ toolCallId: "t2", output: "b" }),
      approval({ id: "w1", approved: false }),
      approval({ id: "w1", approved: true }),
    );

    expect(readAnswers(run, sent)).toEqual([
      { waitId: "w1", answer: { approved: false } },
      { waitId: "w2", answer: { result: "b" } },
    ]);
  });
});

describe("answeredIds", () => {
  it("has the ids of all questions that have an answer, and of no other", () => {
    const sent = message(
      approval({ id: "w2", approved: false }),
      { ...approval({ id: "w3" }), state: "approval-requested" },
      nothing,
      { ...approval({ id: "w4", approved: true }), state: "output-available" },
      approval({ id: 5, approved: true }),
      { type: "tool-pay", state: "approval-responded", approval: null },
      approval({ id: "w1", approved: true }),
    );

    expect(answeredIds(sent)).toEqual(["w2", "w1"]);
    expect(answeredIds(message())).toEqual([]);
  });
});
