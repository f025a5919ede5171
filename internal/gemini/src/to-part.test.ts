import { expect, it } from "vitest";
import { toPart } from "./to-part.ts";

it.each<[string, object, object]>([
  ["null", { text: "A", thought: null, thoughtSignature: "S" }, { text: "A", thoughtSignature: "S" }],
  ["a text of null", { text: null, thought: true }, { text: "", thought: true }],
  ["a text that is none", { text: 7 }, { text: "" }],
  ["a call of null", { text: "A", functionCall: null }, { text: "A" }],
  ["null within a call", { functionCall: { name: "look", id: null, args: null } }, { functionCall: { name: "look" } }],
  ["null within arguments", { functionCall: { args: { a: null } } }, { functionCall: { args: { a: null } } }],
  ["names that are none", { functionCall: { id: 7, name: [] } }, { functionCall: { id: "", name: "" } }],
  ["pieces that are none", { functionCall: { partialArgs: "x" } }, { functionCall: {} }],
  ["pieces", { functionCall: { partialArgs: [{}] } }, { functionCall: { partialArgs: [{}] } }],
  ["a call that is none", { functionCall: "look" }, { functionCall: {} }],
])("puts a part right that has %s", (_, given, expected) => {
  const before = structuredClone(given);

  expect(toPart(given as Record<string, unknown>)).toStrictEqual(expected);
  expect(given).toEqual(before);
});

it("toPart returns a sound part as it is", () => {
  const part = { text: "A", thought: true };

  expect(toPart(part)).toBe(part);
});
