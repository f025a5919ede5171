import type { RunWait } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { callOf, toArguments, toOutputText } from "./calls.ts";
import { outputOf } from "./run-output.ts";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };

describe("the output of a run", () => {
  it.each<[object[], unknown, string]>([
    [[{ output: "a" }, { output: "é" }], {}, "é"],
    [[{ output: "a" }, {}], {}, "a"],
    [[{ output: { é: 1 } }], {}, '{"é":1}'],
    [[{ output: null }], { a: 1 }, '{"a":1}'],
    [[], { a: 1 }, '{"a":1}'],
    [[{}], "state", "state"],
    [[], undefined, "null"],
  ])("of a workflow with the steps %j and the state %j is the text %j", (steps, state, text) => {
    expect(outputOf({ kind: "workflow" }, { steps, state, usage })).toEqual({ text, usage, toolCalls: [] });
  });

  it("the output of a run of an agent or a team is as it is", () => {
    const output = { text: "a", usage };

    expect(outputOf({ kind: "agent" }, output)).toBe(output);
    expect(outputOf({ kind: "team" }, output)).toBe(output);
  });
});

it.each<[unknown, object]>([
  [undefined, { name: "tool", args: "{}" }],
  [
    { toolName: 7, args: null },
    { name: "tool", args: "{}" },
  ],
  [
    { toolName: "a", args: { é: [1] } },
    { name: "a", args: '{"é":[1]}' },
  ],
])("a question about %j is about the call %j", (about, call) => {
  expect(callOf({ id: "w", kind: "input", about } as RunWait)).toEqual(call);
});

it.each([
  ["é", "é"],
  ["", ""],
  [undefined, "null"],
  [null, "null"],
  [0, "0"],
  [{ a: "é" }, '{"a":"é"}'],
])("the result %j of a tool is the text %j", (result, text) => {
  expect(toOutputText(result)).toBe(text);
});

it.each([
  ['{"a": 1}', '{"a": 1}'],
  ["{}", "{}"],
  ["", "{}"],
  [" ", "{}"],
  ["{", "{}"],
  ["[1]", "{}"],
])("the arguments %j of a model are shown as %j", (text, shown) => {
  expect(toArguments(text)).toBe(shown);
});
