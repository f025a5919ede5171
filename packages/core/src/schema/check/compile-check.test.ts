import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../object-schema.ts";
import { describeIssues } from "../schema-issue.ts";
import { compileCheck } from "./compile-check.ts";

const problemsOf = (schema: JsonSchema, value: unknown) => {
  const verdict = compileCheck(schema, "parameters")(value);
  return verdict.ok ? "" : describeIssues(verdict.issues);
};

const weather: JsonSchema = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 2 },
    days: { type: "integer", minimum: 1, maximum: 14 },
    unit: { enum: ["celsius", "fahrenheit"] },
    places: { type: "array", items: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
  },
  required: ["city", "days"],
  additionalProperties: false,
};

describe("the issues of compileCheck", () => {
  it.each([
    [{ city: 5, days: 3 }, "city: expected string, got number 5"],
    [{ city: "Oslo", days: 1.5 }, "days: expected integer, got number 1.5"],
    [{ city: "Oslo", days: 20 }, "days: expected number <= 14, got number 20"],
    [{ city: "Oslo" }, "days: expected integer, got nothing"],
    [{ city: "Oslo", days: 3, unit: "kelvin" }, 'unit: expected one of "celsius", "fahrenheit", got string "kelvin"'],
    [{ city: "O", days: 3 }, 'city: expected string of at least 2 characters, got string "O"'],
    [
      { city: "Oslo", days: 3, town: 1 },
      "town: expected no such property (known: city, days, unit, places), got number 1",
    ],
    [{ city: "Oslo", days: 3, places: [{ name: "a" }, { name: null }] }, "places[1].name: expected string, got null"],
    [[], "value: expected object, got array of 0"],
    [null, "value: expected object, got null"],
  ])("name the path, the expected and the actual value: %j", (value, problem) => {
    expect(problemsOf(weather, value)).toBe(problem);
  });

  it("include several problems at once", () => {
    expect(problemsOf(weather, { city: 5, days: "3", places: [{}] }).split("\n")).toEqual([
      "city: expected string, got number 5",
      'days: expected integer, got string "3"',
      "places[0].name: expected string, got nothing",
    ]);
  });

  it("include a missing property beside one of the wrong type", () => {
    expect(problemsOf({ properties: { a: { type: "string" } }, required: ["b"] }, { a: 1 })).toBe(
      "a: expected string, got number 1\nb: expected a value, got nothing",
    );
  });

  it("are at most twenty short lines", () => {
    const value = Array.from({ length: 10_000 }, () => "x".repeat(10_000));
    const problems = problemsOf({ items: { type: "number" } }, value);

    expect(problems.split("\n")).toHaveLength(20);
    expect(problems.length).toBeLessThanOrEqual(2000);
  });

  it.each<[string, JsonSchema, unknown]>([
    [
      "properties",
      { properties: Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`p${index}`, { type: "null" }])) },
      Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`p${index}`, 1])),
    ],
    ["first items", { prefixItems: Array.from({ length: 2000 }, () => ({ type: "null" })) }, Array(2000).fill(1)],
    [
      "names",
      { propertyNames: { maxLength: 1 } },
      Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`p${at}`, 1])),
    ],
  ])("are the first twenty of two thousand wrong %s of a flat value", (_kind, schema, value) => {
    expect(problemsOf(schema, value).split("\n")).toHaveLength(20);
  });

  it("are none if two thousand tries of a flat value fail before one fits", () => {
    expect(problemsOf({ contains: { type: "null" } }, [...Array(2000).fill(1), null])).toBe("");
    const forms = Array.from({ length: 2000 }, (_, index) => ({ const: index }));
    expect(problemsOf({ anyOf: forms }, 1999)).toBe("");
  });

  it("explain the form that was meant", () => {
    const shape = {
      oneOf: [
        {
          type: "object",
          properties: { kind: { const: "circle" }, radius: { type: "number" } },
          required: ["kind", "radius"],
        },
        {
          type: "object",
          properties: { kind: { const: "square" }, side: { type: "number" } },
          required: ["kind", "side"],
        },
      ],
    };

    expect(problemsOf(shape, { kind: "square", side: "4" })).toBe('side: expected number, got string "4"');
    expect(problemsOf({ anyOf: [{ type: "string" }, { type: "null" }] }, 5)).toBe(
      "value: expected string or null, got number 5",
    );
    expect(problemsOf({ anyOf: [{ type: "number" }, { type: "array", items: { type: "number" } }] }, [1, "2"])).toBe(
      '[1]: expected number, got string "2"',
    );
  });
});

describe("the verdicts of compileCheck where JavaScript misleads", () => {
  it.each<[string, JsonSchema, unknown, boolean]>([
    ["1.0 is an integer", { type: "integer" }, 1.0, true],
    ["~01 in a reference is ~1", { $ref: "#/$defs/a~01b", $defs: { "a~1b": { type: "null" }, "a/b": {} } }, 1, false],
    ["~10 in a reference is /0", { $ref: "#/$defs/a~10", $defs: { "a/0": { type: "null" }, "a~0": {} } }, 1, false],
    ["NaN is not a number", { type: "number" }, Number.NaN, false],
    ["infinity is not a number", { type: "number" }, Infinity, false],
    ["an array is not an object", { type: "object" }, [], false],
    ["0.3 is a multiple of 0.1", { multipleOf: 0.1 }, 0.3, true],
    ["0.35 is no multiple of 0.1", { multipleOf: 0.1 }, 0.35, false],
    ["1e300 is a multiple of 0.5", { multipleOf: 0.5 }, 1e300, true],
    ["-0 is 0", { const: 0 }, -0, true],
    ["false is not 0", { enum: [0] }, false, false],
    ["a pair of surrogates is one character", { maxLength: 1 }, "😀", true],
    ["a pair of surrogates is not two characters", { minLength: 2 }, "😀", false],
    ["a dot matches a whole character", { pattern: "^.$" }, "😀", true],
    ["a pattern that is not anchored matches inside", { pattern: "b" }, "abc", true],
    ["a pattern that Unicode mode refuses is read without it", { pattern: "^[\\w-.]+$" }, "a-b", true],
    [
      "equal objects with other key orders are equal items",
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    ["1 and true are different items", { uniqueItems: true }, [1, true], true],
    ["an inherited property is absent", { required: ["toString"] }, {}, false],
    ["an inherited property is not checked", { properties: { constructor: { type: "number" } } }, {}, true],
    ["undefined is absent", { required: ["a"] }, { a: undefined }, false],
    ["undefined is no extra property", { additionalProperties: false }, { a: undefined }, true],
    ["an unknown keyword is ignored", { colour: "red" }, 1, true],
    ["an unknown format is ignored", { format: "colour" }, "red", true],
    ["29 February needs a leap year", { format: "date" }, "2023-02-29", false],
    ["2000 was a leap year", { format: "date" }, "2000-02-29", true],
    ["the old form of tuples is understood", { items: [{ type: "string" }], additionalItems: false }, ["a", 1], false],
    ["a value that fits two forms is not of one", { oneOf: [{ type: "number" }, { type: "integer" }] }, 1, false],
    [
      "the first items have schemas of their own",
      { prefixItems: [{ type: "string" }], items: { type: "number" } },
      ["a", 1],
      true,
    ],
    ["an array of dependencies is understood", { dependencies: { a: ["b"] } }, { a: 1 }, false],
  ])("%s", (...[, schema, value, fits]) => {
    expect(compileCheck(schema, "parameters")(value).ok).toBe(fits);
  });

  it("takes __proto__ as a name like any other", () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"number"}},"required":["__proto__"],"additionalProperties":false}',
    );
    const check = compileCheck(schema, "parameters");

    expect(check(JSON.parse('{"__proto__":1}')).ok).toBe(true);
    expect(check(JSON.parse('{"__proto__":"x"}')).ok).toBe(false);
    expect(check({}).ok).toBe(false);
  });
});

describe("the references of a schema", () => {
  const tree: JsonSchema = {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        type: "object",
        properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } },
        required: ["children"],
      },
    },
  };

  it("may be recursive", () => {
    expect(problemsOf(tree, { children: [{ children: [] }] })).toBe("");
    expect(problemsOf(tree, { children: [{ children: [{}] }] })).toBe(
      "children[0].children[0].children: expected array, got nothing",
    );
  });

  it("may have escaped names", () => {
    const schema = { $ref: "#/$defs/a~1b%20c", $defs: { "a/b c": { type: "string" } } };

    expect(problemsOf(schema, 1)).toBe("value: expected string, got number 1");
  });

  it("do not overflow the stack at compile time when they form a long chain", () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `d${index}`);
    const $defs = Object.fromEntries(names.map((name, index) => [name, { $ref: `#/$defs/d${index + 1}` }]));
    const check = compileCheck({ $ref: "#/$defs/d0", $defs: { ...$defs, d20000: true } }, "parameters");

    expect(check(1)).toMatchObject({ ok: false, issues: [{ message: expect.stringContaining("too big") }] });
  });
});

describe("a schema that compileCheck does not support", () => {
  it.each<[JsonSchema, string]>([
    [
      { properties: { a: { $ref: "https://example.com/a.json" } } },
      '#/properties/a, "$ref" must point into this schema',
    ],
    [{ $ref: "#/$defs/missing" }, '#, "$ref" must point into this schema'],
    [{ $ref: "#/$defs/constructor", $defs: {} }, '#, "$ref" must point into this schema'],
    [{ items: { $dynamicRef: "#node" } }, '#/items, "$dynamicRef" is not supported'],
    [{ unevaluatedProperties: false }, '#, "unevaluatedProperties" is not supported'],
    [{ $id: "https://example.com", items: { $id: "b" } }, '#/items, "$id" is supported at the root only'],
    [{ properties: { a: { type: "strnig" } } }, '#/properties/a, "type" must be one of'],
    [{ properties: { a: "string" } }, "#/properties/a, a schema must be an object or a boolean"],
    [{ required: "a" }, '#, "required" must be an array'],
    [{ minimum: "5" }, '#, "minimum" must be a number'],
    [{ exclusiveMinimum: true }, '#, "exclusiveMinimum" must be a number'],
    [{ minLength: -1 }, '#, "minLength" must be an integer of at least 0'],
    [{ anyOf: [] }, '#, "anyOf" must have at least one schema'],
    [{ pattern: "(?P<name>a)" }, '#, the pattern "(?P<name>a)" of "pattern" is not a JavaScript regular expression'],
    [
      { patternProperties: { "(": true } },
      '#, the pattern "(" of "patternProperties" is not a JavaScript regular expression',
    ],
    [{ pattern: "(?<=(a+)+)b" }, "could take too long"],
    [{ pattern: "^((a{1,100}){1,100}){1,100}$" }, "could take too long"],
  ])("is refused with its place: %j", (schema, problem) => {
    expect(() => compileCheck(schema, "parameters")).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(problem) }),
    );
  });
});
