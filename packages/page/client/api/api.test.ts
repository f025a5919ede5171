import { describe, expect, it } from "vitest";
import { toWorkflowInput } from "./api.ts";

describe("the input of a workflow", () => {
  it.each([
    ['{"city":"Oslo"}', { city: "Oslo" }],
    [' \n{ "a": { "b": [1, null] } }\n', { a: { b: [1, null] } }],
    ["{}", {}],
    ['{"":""}', { "": "" }],
    ['{"city":"Malmö"}', { city: "Malmö" }],
  ])("of the JSON object %j is its state", (text, state) => {
    expect(toWorkflowInput(text)).toStrictEqual(state);
  });

  it.each(["[]", '[{"city":"Oslo"}]', "[[1]]", "null", "true", "false", "0", "-1.5", "1e9", '""', '"Oslo"', '"{}"'])(
    "of the JSON value %s, which is no object, is the text as typed",
    (text) => {
      expect(toWorkflowInput(text)).toBe(text);
      expect(toWorkflowInput(` ${text}\n`)).toBe(` ${text}\n`);
    },
  );

  it.each([
    "Oslo",
    " Où?\n ",
    "city: Oslo",
    "undefined",
    "NaN",
    "{",
    '{"city":"Oslo"',
    "{city: 'Oslo'}",
    '{"a":1} {"b":2}',
  ])("of %j, which is not JSON, is the text as typed", (text) => {
    expect(toWorkflowInput(text)).toBe(text);
  });

  it.each(["", " ", "\n\t", "\u00A0"])("of the blank text %j is none", (text) => {
    expect(toWorkflowInput(text)).toBeUndefined();
  });
});
