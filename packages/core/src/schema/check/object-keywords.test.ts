import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../object-schema.ts";
import { describeIssues } from "../schema-issue.ts";
import { compileCheck } from "./compile-check.ts";

const problemsOf = (schema: JsonSchema, value: unknown) => {
  const verdict = compileCheck(schema, "parameters")(value);
  return verdict.ok ? [] : describeIssues(verdict.issues).split("\n");
};

const inherited: unknown = Object.create({ a: 1, b: 1, extra: 1 });
const noObjects: readonly unknown[] = [null, "text", 1, [], ["a", "b"], undefined];

describe("the keywords of objects", () => {
  it.each<JsonSchema>([
    { properties: { a: false, 0: false, length: false } },
    { required: ["a"] },
    { patternProperties: { "": false } },
    { additionalProperties: false },
    { propertyNames: false },
    { minProperties: 1 },
    { maxProperties: 0 },
    { dependentRequired: { 0: ["b"], length: ["b"] } },
    { dependentSchemas: { 0: false, length: false } },
  ])("say nothing of other values: %j", (schema) => {
    expect(noObjects.flatMap((value) => problemsOf(schema, value))).toEqual([]);
  });

  it.each<[JsonSchema, unknown, string[]]>([
    [
      { properties: { a: { type: "string" }, b: { minimum: 2 } } },
      { a: 1, b: 1, c: 1 },
      ["a: expected string, got number 1", "b: expected number >= 2, got number 1"],
    ],
    [{ properties: { a: { type: "string" } } }, { a: undefined }, []],
    [{ properties: { a: { type: "string" } } }, inherited, []],
    [{ properties: { a: { properties: { b: { const: 2 } } } } }, { a: { b: 1 } }, ["a.b: expected 2, got number 1"]],

    [
      { required: ["a", "b"], properties: { b: { type: "string" }, c: { type: "null" } } },
      {},
      ["a: expected a value, got nothing", "b: expected string, got nothing"],
    ],
    [{ required: ["a"] }, { a: null }, []],
    [{ required: ["a"] }, inherited, ["a: expected a value, got nothing"]],
    [{ required: ["constructor"], properties: {} }, {}, ["constructor: expected a value, got nothing"]],
    [{ properties: { a: { required: ["b"] } } }, { a: {} }, ["a.b: expected a value, got nothing"]],
    [{ required: [] }, {}, []],

    [
      { patternProperties: { "^x": { type: "string" }, y$: { minimum: 2 } } },
      { x: 1, xy: 1, y: 1, z: 1 },
      [
        "x: expected string, got number 1",
        "xy: expected string, got number 1",
        "xy: expected number >= 2, got number 1",
        "y: expected number >= 2, got number 1",
      ],
    ],
    [{ patternProperties: { a: false } }, { a: undefined }, []],

    [
      { properties: { a: true }, patternProperties: { "^x": true }, additionalProperties: { type: "null" } },
      { a: 1, x1: 1, b: 1, ax: null, c: "1" },
      ["b: expected null, got number 1", 'c: expected null, got string "1"'],
    ],
    [
      { properties: { a: true, b: true }, additionalProperties: false },
      { c: 1, a: 1 },
      ["c: expected no such property (known: a, b), got number 1"],
    ],
    [{ additionalProperties: false }, { a: null }, ["a: expected no such property (known: none), got null"]],
    [
      { additionalProperties: false },
      { constructor: 1 },
      ["constructor: expected no such property (known: none), got number 1"],
    ],
    [{ additionalProperties: false }, inherited, []],
    [{ additionalProperties: true }, { a: 1 }, []],

    [
      { propertyNames: { maxLength: 1 } },
      { a: 1, bc: 1, de: undefined },
      ['bc: expected string of at most 1 characters, got string "bc"'],
    ],
    [{ propertyNames: { maxLength: 1 } }, inherited, []],

    [{ minProperties: 2 }, { a: 1, b: null }, []],
    [{ minProperties: 2 }, { a: 1, b: undefined }, ["value: expected object of at least 2 properties, got object"]],
    [{ minProperties: 1 }, inherited, ["value: expected object of at least 1 properties, got object"]],
    [{ maxProperties: 1 }, { a: 1, b: undefined }, []],
    [{ maxProperties: 1 }, { a: 1, b: 1 }, ["value: expected object of at most 1 properties, got object"]],

    [{ dependentRequired: { a: ["b", "c"] } }, { a: 1, c: 1 }, ["b: expected a value, got nothing"]],
    [{ dependentRequired: { a: ["b"] } }, { c: 1 }, []],
    [{ dependentRequired: { a: ["b"] } }, { a: undefined }, []],
    [{ dependentRequired: { a: ["b"] } }, inherited, []],
    [
      { dependentSchemas: { a: { properties: { b: { type: "null" } } } } },
      { a: 1, b: 1 },
      ["b: expected null, got number 1"],
    ],
    [
      { dependencies: { a: { minProperties: 2 }, b: ["a"] } },
      { a: 1 },
      ["value: expected object of at least 2 properties, got object"],
    ],
    [{ properties: { o: { dependencies: { a: ["b"] } } } }, { o: { a: 1 } }, ["o.b: expected a value, got nothing"]],
  ])("check own properties that have a value: %j, %j", (schema, value, problems) => {
    expect(problemsOf(schema, value)).toEqual(problems);
  });

  it("shorten a long list of known properties", () => {
    const names = Array.from({ length: 50 }, (_, index) => `name${index}`);
    const properties = Object.fromEntries(names.map((name) => [name, true]));
    const verdict = compileCheck({ properties, additionalProperties: false }, "parameters")({ other: 1 });

    const whole = `no such property (known: ${names.join(", ")})`;
    expect(verdict).toMatchObject({ ok: false, issues: [{ path: ["other"], expected: `${whole.slice(0, 119)}…` }] });
  });

  it.each<[JsonSchema, string]>([
    [{ properties: [] }, '"properties" must be an object.'],
    [{ properties: { a: 1 } }, "at #/properties/a, a schema must be an object or a boolean."],
    [{ required: ["a", 1] }, '"required" must be an array of strings.'],
    [{ patternProperties: { "^x": 1 } }, "at #/patternProperties/^x, a schema must be an object or a boolean."],
    [{ additionalProperties: "no" }, "at #/additionalProperties, a schema must be an object or a boolean."],
    [{ propertyNames: 1 }, "at #/propertyNames, a schema must be an object or a boolean."],
    [{ minProperties: 0.5 }, '"minProperties" must be an integer of at least 0.'],
    [{ maxProperties: -1 }, '"maxProperties" must be an integer of at least 0.'],
    [{ dependentRequired: { a: [1] } }, 'at #/dependentRequired/a, "required" must be an array of strings.'],
    [{ dependentSchemas: null }, '"dependentSchemas" must be an object.'],
  ])("are refused with their place when they are malformed: %j", (schema, problem) => {
    expect(() => compileCheck(schema, "parameters")).toThrow(problem);
  });
});
