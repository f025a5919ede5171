import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../object-schema.ts";
import { describeIssues } from "../schema-issue.ts";
import { compileCheck } from "./compile-check.ts";

const problemsOf = (schema: JsonSchema, value: unknown) => {
  const verdict = compileCheck(schema, "parameters")(value);
  return verdict.ok ? [] : describeIssues(verdict.issues).split("\n");
};

const named = { properties: { name: { type: "string" } } };
const aged = { properties: { age: { type: "integer" } } };

describe("allOf", () => {
  it.each<[unknown, string[]]>([
    [{ name: "Ann", age: 9 }, []],
    [{ name: 1, age: 9 }, ["name: expected string, got number 1"]],
    [{ name: "Ann", age: "9" }, ['age: expected integer, got string "9"']],
    [{ name: 1, age: "9" }, ["name: expected string, got number 1", 'age: expected integer, got string "9"']],
  ])("reports the problems of all its schemas: %j", (value, problems) => {
    expect(problemsOf({ allOf: [named, aged] }, value)).toEqual(problems);
  });

  it("reports its problems beside those of its neighbours", () => {
    const schema = { ...named, allOf: [aged, { required: ["mail"] }] };

    expect(problemsOf(schema, { name: 1, age: 1.5 })).toEqual([
      "name: expected string, got number 1",
      "age: expected integer, got number 1.5",
      "mail: expected a value, got nothing",
    ]);
  });
});

describe("anyOf", () => {
  const forms: JsonSchema = {
    anyOf: [
      { type: "object", properties: { kind: { const: "cat" }, lives: { type: "integer", maximum: 9 } } },
      { type: "object", properties: { kind: { enum: ["dog", "wolf"] }, tricks: { type: "array" } } },
      { type: "string", minLength: 2 },
    ],
  };

  it.each<[unknown, string[]]>([
    [{ kind: "cat", lives: 9 }, []],
    [{ kind: "wolf", tricks: [] }, []],
    ["ab", []],
    [{ kind: "cat", lives: 10 }, ["lives: expected number <= 9, got number 10"]],
    [{ kind: "dog", tricks: 1 }, ["tricks: expected array, got number 1"]],
    ["a", ['value: expected string of at least 2 characters, got string "a"']],
    [{ kind: "cow" }, ["value: expected object or string, got object"]],
    [{ lives: 10, tricks: 1 }, ["value: expected object or string, got object"]],
    [null, ["value: expected object or string, got null"]],
  ])("reports the problems of the one form that was meant, else the forms: %j", (value, problems) => {
    expect(problemsOf(forms, value)).toEqual(problems);
  });

  it("looks for constants at the value and in its properties, and no deeper", () => {
    const deep = (constant: string) => ({
      properties: { at: { properties: { kind: { const: constant } } } },
    });

    expect(problemsOf({ anyOf: [{ const: "a" }, { type: "object", required: ["b"] }] }, {})).toEqual([
      "b: expected a value, got nothing",
    ]);
    expect(
      problemsOf({ properties: { at: { anyOf: [{ const: 1 }, { enum: [2] }, { required: ["b"] }] } } }, { at: {} }),
    ).toEqual(["at.b: expected a value, got nothing"]);
    expect(problemsOf({ anyOf: [{ enum: [1] }, deep("b")] }, { at: { kind: "c" } })).toEqual([
      'at.kind: expected "b", got string "c"',
    ]);
    expect(problemsOf({ anyOf: [deep("a"), deep("b")] }, { at: { kind: "c" } })).toEqual([
      "value: expected one of 2 forms, got object",
    ]);
  });

  it("finds the form that was meant below the root too", () => {
    expect(
      problemsOf({ properties: { list: { items: forms } } }, { list: ["ab", { kind: "cat", lives: "9" }] }),
    ).toEqual(['list[1].lives: expected integer, got string "9"']);
    expect(problemsOf({ properties: { pet: forms } }, { pet: 7 })).toEqual([
      "pet: expected object or string, got number 7",
    ]);
  });

  it("names each kind of form once", () => {
    const schema = { anyOf: [{ type: "string", minLength: 2 }, { type: "string", pattern: "^x$" }, { type: "null" }] };

    expect(problemsOf(schema, 5)).toEqual(["value: expected string or null, got number 5"]);
  });
});

describe("oneOf", () => {
  const forms = (...minima: number[]) => ({ oneOf: minima.map((minimum) => ({ type: "number", minimum })) });

  it.each<[JsonSchema, unknown, string[]]>([
    [forms(1, 5), 3, []],
    [forms(1, 5, 9), 5, ["value: expected a value that fits one form only, not 2, got number 5"]],
    [forms(1, 5, 9), 9, ["value: expected a value that fits one form only, not 3, got number 9"]],
    [forms(1, 5), 0, ["value: expected number, got number 0"]],
    [forms(1), 0, ["value: expected number >= 1, got number 0"]],
    [{ oneOf: [{ type: "string" }, { type: "number", minimum: 1 }] }, 0, ["value: expected number >= 1, got number 0"]],
    [{ oneOf: [{ required: ["a"] }, true] }, {}, []],
    [
      { oneOf: [{ required: ["a"] }, true] },
      { a: 1 },
      ["value: expected a value that fits one form only, not 2, got object"],
    ],
  ])("accepts what fits exactly one form: %j, %j", (schema, value, problems) => {
    expect(problemsOf(schema, value)).toEqual(problems);
  });
});

describe("not", () => {
  it.each<[JsonSchema, unknown, string[]]>([
    [{ type: "string" }, 1, []],
    [{ type: "string" }, "x", ['value: expected anything but string, got string "x"']],
    [{ const: "x" }, "x", ['value: expected anything but "x", got string "x"']],
    [{ required: ["a"] }, {}, []],
    [{ required: ["a"] }, { a: 1 }, ["value: expected anything but a value, got object"]],
    [{ not: { type: "string" } }, "x", []],
  ])("accepts what does not fit, without the problems of that: %j, %j", (schema, value, problems) => {
    expect(problemsOf({ not: schema }, value)).toEqual(problems);
  });

  it("keeps no problem of a value that does not fit beside another problem", () => {
    const schema = { properties: { a: { not: { type: "string" } }, b: { type: "string" } } };

    expect(problemsOf(schema, { a: 1, b: 1 })).toEqual(["b: expected string, got number 1"]);
  });
});

/** A schema with a condition, from the JSON text of its parts: an object literal with a `then` would be a promise of sorts. */
const conditional = (text: string) => JSON.parse(`{${text}}`) as JsonSchema;

describe("if", () => {
  const isCompany = '"if": { "properties": { "kind": { "const": "company" } }, "required": ["kind"] }';
  const withThen = '"then": { "required": ["vat"] }';
  const withElse = '"else": { "required": ["born"] }';
  const noVat = ["vat: expected a value, got nothing"];
  const notBorn = ["born: expected a value, got nothing"];

  it.each<[string, unknown, string[]]>([
    [`${isCompany}, ${withThen}, ${withElse}`, { kind: "company", vat: 1 }, []],
    [`${isCompany}, ${withThen}, ${withElse}`, { kind: "company", born: 1 }, noVat],
    [`${isCompany}, ${withThen}, ${withElse}`, { kind: "person", born: 1 }, []],
    [`${isCompany}, ${withThen}, ${withElse}`, { kind: "person", vat: 1 }, notBorn],
    [`${isCompany}, ${withThen}, ${withElse}`, {}, notBorn],
    [`${isCompany}, ${withThen}`, { kind: "person" }, []],
    [`${isCompany}, ${withThen}`, { kind: "company" }, noVat],
    [`${isCompany}, ${withElse}`, { kind: "company" }, []],
    [`${isCompany}, ${withElse}`, {}, notBorn],
    [isCompany, {}, []],
    [`${withThen}, ${withElse}`, {}, []],
    [`"if": true, ${withThen}, ${withElse}`, {}, noVat],
    [`"if": false, ${withThen}, ${withElse}`, {}, notBorn],
  ])("reports problems of the branch that it chooses, and none of the condition: %s, %j", (schema, value, problems) => {
    expect(problemsOf(conditional(schema), value)).toEqual(problems);
  });
});

describe("the schema of a combining keyword", () => {
  it.each<[JsonSchema, string]>([
    [{ allOf: [] }, 'at #, "allOf" must have at least one schema'],
    [{ anyOf: [] }, 'at #, "anyOf" must have at least one schema'],
    [{ oneOf: [] }, 'at #, "oneOf" must have at least one schema'],
    [{ anyOf: {} }, 'at #, "anyOf" must be an array'],
    [{ $ref: 1 }, 'at #, "$ref" must be a string'],
    [{ oneOf: [true, { minLength: -1 }] }, 'at #/oneOf/1, "minLength" must be an integer of at least 0'],
    [{ allOf: [{ not: { type: 1 } }] }, "at #/allOf/0/not,"],
    [conditional('"if": true, "then": 5'), "at #/then, a schema must be an object or a boolean"],
    [{ if: true, else: { anyOf: [] } }, 'at #/else, "anyOf" must have at least one schema'],
  ])("is refused with its place when it is malformed: %j", (schema, problem) => {
    expect(() => compileCheck(schema, "parameters")).toThrow(problem);
  });
});
