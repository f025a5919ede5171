import { expect, it } from "vitest";
import { argumentsText, callId, toToolCalls } from "./to-tool-calls.ts";

it.each<[unknown, string]>([
  ['{"a":1}', '{"a":1}'],
  [{ a: 1 }, '{"a":1}'],
  ["", ""],
  [null, ""],
  [undefined, ""],
])("writes the arguments %j as %j", (value, text) => {
  expect(argumentsText(value)).toBe(text);
});

it.each<[unknown, string]>([
  ["c", "c"],
  [0, "0"],
  [7, "7"],
  [null, ""],
  [{}, ""],
])("reads the id %j as %j", (value, id) => {
  expect(callId(value)).toBe(id);
});

it("toToolCalls parses arguments, and lists those that are no JSON by the id of their call", () => {
  expect(
    toToolCalls([
      { id: "c", name: "look", text: '{"a":1}' },
      { id: "d", name: "see", text: '{"a":' },
      { id: "e", name: "hear", text: "" },
    ]),
  ).toStrictEqual({
    toolCalls: [
      { id: "c", name: "look", arguments: { a: 1 } },
      { id: "d", name: "see", arguments: {} },
      { id: "e", name: "hear", arguments: {} },
    ],
    malformedArguments: [{ toolCallId: "d", text: '{"a":' }],
  });
  expect(toToolCalls([])).toStrictEqual({ toolCalls: [] });
});
