import { describe, expect, it } from "vitest";
import { exampleOf, toLines, toQuestionText, toWorkflowInput } from "./workflow-input.ts";

describe("the input of a workflow", () => {
  it.each([
    ['{"city":"Oslo"}', { city: "Oslo" }],
    [' \n{ "a": { "b": [1, null] } }\n', { a: { b: [1, null] } }],
    ["{}", {}],
    ['{"":""}', { "": "" }],
    ['{"city":"Malmö"}', { city: "Malmö" }],
  ])("the input of a workflow of the JSON object %j is its state", (text, state) => {
    expect(toWorkflowInput(text)).toStrictEqual(state);
  });

  it.each(["[]", '[{"city":"Oslo"}]', "[[1]]", "null", "true", "false", "0", "-1.5", "1e9", '""', '"Oslo"', '"{}"'])(
    "the input of a workflow of the JSON value %s, which is no object, is the text as typed",
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
  ])("the input of a workflow of %j, which is not JSON, is the text as typed", (text) => {
    expect(toWorkflowInput(text)).toBe(text);
  });

  it.each(["", " ", "\n\t", "\u00A0"])("the input of a workflow of the blank text %j is none", (text) => {
    expect(toWorkflowInput(text)).toBeUndefined();
  });
});

describe("the input of a workflow with example fields", () => {
  const example = { city: "Bergen", days: 3, "e-mail": true, tags: ["a"], ümlaut: null, days2: 1 };

  it.each([
    ["city: Oslo", { city: "Oslo" }],
    ["\n  city :Oslo  \n\n", { city: "Oslo" }],
    ["City: Oslo\nÜMLAUT: x", { city: "Oslo", ümlaut: "x" }],
    ["days: 5\ncity: 5", { days: 5, city: "5" }],
    ["days: five", { days: "five" }],
    ["days:\ncity:", { days: "", city: "" }],
    ["e-mail: false\nümlaut: null", { "e-mail": false, ümlaut: null }],
    ['tags: ["b", "c"]', { tags: ["b", "c"] }],
    ["city: https://oslo.test: all", { city: "https://oslo.test: all" }],
    ['city: {"a":1}', { city: '{"a":1}' }],
    ['{"other":1}', { other: 1 }],
    ["{}", {}],
  ])("the input of a workflow with example fields of %j is the state %j", (text, state) => {
    expect(toWorkflowInput(text, example)).toStrictEqual(state);
  });

  it.each([
    ["another field", "town: Oslo"],
    ["a field and another", "city: Oslo\ntown: Oslo"],
    ["a field twice", "city: Oslo\nCity: Bergen"],
    ["a line without a colon", "city: Oslo\nsoon"],
    ["a colon alone", ": Oslo"],
    ["a field alone", "city"],
    ["a sentence with a colon", "I mean this city: Oslo"],
    ["a field of all objects", "constructor: x"],
    ["the prototype", "__proto__: x"],
    ["an array", "[1]"],
  ])("the input of a workflow with example fields of a text with %s is the text as typed", (_, text) => {
    expect(toWorkflowInput(text, example)).toBe(text);
  });

  it.each([{}, { town: "Oslo" }, undefined])("is read as text where the example is %j", (other) => {
    expect(toWorkflowInput("city: Oslo", other)).toBe("city: Oslo");
  });

  it("may be typed as its example is shown", () => {
    expect(toLines(example)[0]).toBe("city: Bergen");
    expect(toWorkflowInput(toLines(example).join("\n"), example)).toStrictEqual(example);
  });
});

describe("the example of a workflow", () => {
  const suggestions = {
    flow: ["Go on.", "[1]", "{}", '{"city":"Oslo"}', '{"city":"Bergen"}'],
    plain: ["Go on."],
    none: [],
  };

  it.each([
    ["workflow", "flow", { city: "Oslo" }],
    ["workflow", "plain", undefined],
    ["workflow", "none", undefined],
    ["workflow", "other", undefined],
    ["workflow", "constructor", undefined],
    ["agent", "flow", undefined],
    ["team", "flow", undefined],
  ] as const)("the example of a workflow of the %s %s is %j", (kind, name, example) => {
    expect(exampleOf({ kind, name }, suggestions)).toEqual(example);
  });

  it("is none where nothing is chosen", () => {
    expect(exampleOf(undefined, suggestions)).toBeUndefined();
  });
});

it("the page writes fields as a question, from which the same fields are read", () => {
  const fields = { city: "Ålesund: all", note: 'two\nlines "é"', quoted: '"a"', days: 2, tags: ["a\nb"], none: null };

  expect(toQuestionText(fields).split("\n")).toHaveLength(6);
  expect(toWorkflowInput(toQuestionText(fields), fields)).toStrictEqual(fields);
});
