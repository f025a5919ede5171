import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../object-schema.ts";
import { compileCheck } from "./compile-check.ts";

const issuesOf = (schema: JsonSchema, value: unknown) => {
  const verdict = compileCheck(schema, "parameters")(value);
  return verdict.ok ? [] : verdict.issues;
};
const expectedOf = (schema: JsonSchema, value: unknown) => issuesOf(schema, value).map(({ expected }) => expected);

describe("type", () => {
  const samples = {
    array: [],
    boolean: false,
    integer: 3,
    null: null,
    number: 0.5,
    object: {},
    string: "",
    nothing: undefined,
    nan: Number.NaN,
    infinity: -Infinity,
    bigint: 1n,
  };

  it.each([
    ["array", ["array"]],
    ["boolean", ["boolean"]],
    ["integer", ["integer"]],
    ["null", ["null"]],
    ["number", ["integer", "number"]],
    ["object", ["object"]],
    ["string", ["string"]],
  ])("%s takes the values of that type alone", (type, names) => {
    const fitting = Object.entries(samples).filter(([, value]) => issuesOf({ type }, value).length === 0);

    expect(fitting.map(([name]) => name)).toEqual(names);
  });

  it("takes the values of each type of an array, and names them all", () => {
    const schema = { type: ["string", "integer", "null"] };

    expect(["", 3, null, 3.5, false].map((value) => expectedOf(schema, value))).toEqual([
      [],
      [],
      [],
      ["string or integer or null"],
      ["string or integer or null"],
    ]);
  });

  it.each([[[]], ["any"], ["String"], ["constructor"], [1], [null], [["string", "text"]], [["string", 1]], [{}]])(
    "is refused when it names no types: %j",
    (type) => {
      const names = "array, boolean, integer, null, number, object, string";

      expect(() => compileCheck({ type }, "parameters")).toThrow(
        `parameters cannot be used as a JSON Schema: at #, "type" must be one of ${names}, or an array of them.`,
      );
    },
  );
});

describe("enum and const", () => {
  it.each<[JsonSchema, readonly unknown[], readonly unknown[]]>([
    [{ enum: ["a", 1, null, false] }, ["a", 1, null, false], ["A", "1", true, undefined, 0, [], {}]],
    [{ enum: [] }, [], [undefined, null, ""]],
    [{ enum: [{ a: [1, { b: null, c: 2 }] }, []] }, [{ a: [1, { c: 2, b: null }] }, []], [{ a: [1] }, {}, "[]", [[]]]],
    [{ const: null }, [null], [undefined, 0, "null"]],
    [{ const: [1, 2] }, [[1, 2]], [[2, 1], [1], [1, 2, 3], "[1,2]"]],
    [{ const: "[1]" }, ["[1]"], [[1]]],
    [{ const: {} }, [{}, { a: undefined }], [[], null, { a: null }]],
  ])("take equal values alone: %j", (schema, fitting, others) => {
    expect(fitting.flatMap((value) => issuesOf(schema, value))).toEqual([]);
    expect(others.filter((value) => issuesOf(schema, value).length !== 1)).toEqual([]);
  });

  it("list the choices as JSON, up to 120 characters", () => {
    expect(expectedOf({ enum: ["a", { b: 1 }, null] }, 1)).toEqual(['one of "a", {"b":1}, null']);
    expect(expectedOf({ enum: ["a"] }, 1)).toEqual(['"a"']);
    expect(expectedOf({ const: ["a"] }, 1)).toEqual(['["a"]']);
    expect(expectedOf({ enum: ["x".repeat(200), 1] }, 1.5)).toEqual([`one of "${"x".repeat(111)}…`]);
  });

  it("are refused when the choices are no array", () => {
    expect(() => compileCheck({ enum: { a: 1 } }, "parameters")).toThrow('at #, "enum" must be an array.');
  });
});

describe("the limits of numbers", () => {
  it.each<[JsonSchema, string, number[][]]>([
    [
      { minimum: 2 },
      "number >= 2",
      [
        [2, 2.1, Infinity],
        [1.9, -3, -Infinity],
      ],
    ],
    [
      { maximum: 2 },
      "number <= 2",
      [
        [2, 1.9, -Infinity],
        [2.1, 3, Infinity],
      ],
    ],
    [
      { exclusiveMinimum: 0 },
      "number > 0",
      [
        [0.1, 1],
        [0, -0, -0.1],
      ],
    ],
    [
      { exclusiveMaximum: -1 },
      "number < -1",
      [
        [-1.1, -2],
        [-1, -0.9, 0],
      ],
    ],
    [
      { multipleOf: 3 },
      "a multiple of 3",
      [
        [0, 3, -9],
        [1, 2, 4, 3.5, Infinity],
      ],
    ],
    [
      { multipleOf: 0.01 },
      "a multiple of 0.01",
      [
        [0.07, 4.35, -1.1, 12, 1e21],
        [0.075, 1e-7],
      ],
    ],
    [
      { multipleOf: 2.5 },
      "a multiple of 2.5",
      [
        [2.5, 5, -7.5],
        [2, 4],
      ],
    ],
    [
      { multipleOf: 1e-7 },
      "a multiple of 1e-7",
      [
        [3e-7, 1, 1.5e-6],
        [1.5e-7, 1e-8],
      ],
    ],
    [
      { multipleOf: 1e21 },
      "a multiple of 1e+21",
      [
        [0, 2e21, 1e22],
        [1e20, 1.5e21],
      ],
    ],
  ])("%j demand a %s", (schema, expected, [fitting = [], others = []]) => {
    expect(fitting.flatMap((value) => issuesOf(schema, value))).toEqual([]);
    expect(others.map((value) => expectedOf(schema, value))).toEqual(others.map(() => [expected]));
    expect([Number.NaN, "1", null, [], undefined].flatMap((value) => issuesOf(schema, value))).toEqual([]);
  });

  it.each<[JsonSchema, string]>([
    [{ multipleOf: 0 }, '"multipleOf" must be greater than 0.'],
    [{ multipleOf: -2 }, '"multipleOf" must be greater than 0.'],
    [{ multipleOf: "2" }, '"multipleOf" must be a number.'],
    [{ maximum: "2" }, '"maximum" must be a number.'],
    [{ minimum: null }, '"minimum" must be a number.'],
    [{ exclusiveMaximum: true }, '"exclusiveMaximum" must be a number.'],
  ])("are refused when they are no such number: %j", (schema, problem) => {
    expect(() => compileCheck(schema, "parameters")).toThrow(problem);
  });
});

describe("the lengths of strings", () => {
  it.each<[JsonSchema, string, string[][]]>([
    [{ minLength: 0 }, "string of at least 0 characters", [["", "a"], []]],
    [
      { minLength: 2 },
      "string of at least 2 characters",
      [
        ["ab", "abc", "😀a", "😀😀"],
        ["", "a", "😀"],
      ],
    ],
    [
      { maxLength: 2 },
      "string of at most 2 characters",
      [
        ["", "ab", "😀😀", "\ud83d\ud83d"],
        ["abc", "😀😀a", "😀😀😀"],
      ],
    ],
    [{ maxLength: 0 }, "string of at most 0 characters", [[""], ["a", "😀"]]],
  ])("count characters: %j", (schema, expected, [fitting = [], others = []]) => {
    expect(fitting.flatMap((value) => issuesOf(schema, value))).toEqual([]);
    expect(others.map((value) => expectedOf(schema, value))).toEqual(others.map(() => [expected]));
    expect([1, null, ["a", "b", "c"], { length: 9 }].flatMap((value) => issuesOf(schema, value))).toEqual([]);
  });

  it.each([-1, 1.5, "2", null, [2]])("are refused when they are no count: %j", (count) => {
    for (const keyword of ["minLength", "maxLength"]) {
      expect(() => compileCheck({ [keyword]: count }, "parameters")).toThrow(
        `"${keyword}" must be an integer of at least 0.`,
      );
    }
  });
});

describe("pattern and format", () => {
  it("name what they demand, of strings alone", () => {
    const long = `^${"x".repeat(200)}$`;

    expect(expectedOf({ pattern: "^a+$" }, "b")).toEqual(["string matching ^a+$"]);
    expect(expectedOf({ pattern: long }, "b")).toEqual([`string matching ${long.slice(0, 119)}…`]);
    expect(expectedOf({ format: "date" }, "b")).toEqual(["string in the format date"]);
    expect([expectedOf({ pattern: "^a+$" }, "aa"), expectedOf({ format: "date" }, "2024-02-29")]).toEqual([[], []]);
    expect([expectedOf({ pattern: "^a+$" }, 1), expectedOf({ format: "date" }, 1)]).toEqual([[], []]);
  });

  it.each(["colour", "constructor", "Date", 1, null])("ignore the unknown format %j", (format) => {
    expect(issuesOf({ format }, "x")).toEqual([]);
  });

  it.each([1, null, ["a"]])("refuse the pattern %j", (pattern) => {
    expect(() => compileCheck({ pattern }, "parameters")).toThrow(
      `at #, the pattern ${JSON.stringify(pattern)} of "pattern" must be a string.`,
    );
  });
});
