import { describe, expect, it } from "vitest";
import { describeChoice, describeSchema, toIssue, typeOf } from "./describe.ts";

describe("toIssue", () => {
  it.each<[unknown, string]>([
    [undefined, "nothing"],
    [null, "null"],
    [0, "number 0"],
    [-1.5, "number -1.5"],
    [Number.NaN, "NaN"],
    [-Infinity, "-Infinity"],
    [false, "boolean false"],
    [10n, "bigint"],
    [Symbol("secret"), "symbol"],
    [() => 1, "function"],
    [{ secret: 1 }, "object"],
    [[], "array of 0"],
    [["secret", 1], "array of 2"],
    ["", 'string ""'],
    ['a "b"\n', String.raw`string "a \"b\"\n"`],
    ["x".repeat(40), `string "${"x".repeat(40)}"`],
    ["x".repeat(41), `string "${"x".repeat(39)}…"`],
  ])("names the type of the value, and a short value itself: %s", (value, got) => {
    const path = { parent: { parent: { parent: undefined, key: "a" }, key: 0 }, key: "b" };

    expect(toIssue({ path, keyword: "type", expected: "better", value })).toEqual({
      path: ["a", 0, "b"],
      message: `expected better, got ${got}`,
      expected: "better",
    });
  });

  it("has no path at the root, and a message of 300 characters at most", () => {
    const expected = "x".repeat(400);

    expect(toIssue({ path: undefined, keyword: "type", expected, value: 1 })).toEqual({
      path: [],
      message: `expected ${expected.slice(0, 290)}…`,
      expected,
    });
  });
});

describe("describeSchema", () => {
  it.each<[unknown, string]>([
    [{ type: "string" }, "string"],
    [{ type: ["string", "null"] }, "string or null"],
    [{ type: "string", enum: ["a", "b"] }, 'one of "a", "b"'],
    [{ enum: ["a"], const: "c", type: "string" }, '"c"'],
    [{ const: null }, "null"],
    [{ const: false }, "false"],
    [{ enum: "a", type: "string" }, "string"],
    [{ type: 1 }, "a value"],
    [{}, "a value"],
    [true, "a value"],
    [null, "a value"],
    [undefined, "a value"],
    ["string", "a value"],
  ])("says what %j accepts", (schema, text) => {
    expect(describeSchema(schema)).toBe(text);
  });
});

describe("describeChoice", () => {
  it.each<[unknown[], string]>([
    [["a"], '"a"'],
    [["a", 1, null, [2], { b: 3 }], 'one of "a", 1, null, [2], {"b":3}'],
    [[undefined], "a value"],
    [[], "one of "],
    [["x".repeat(118)], `"${"x".repeat(118)}"`],
    [["x".repeat(119)], `"${"x".repeat(118)}…`],
  ])("lists the choices as JSON: %j", (values, text) => {
    expect(describeChoice(values)).toBe(text);
  });
});

describe("typeOf", () => {
  it.each<[unknown, string]>([
    [null, "null"],
    [undefined, "nothing"],
    [[], "array"],
    [{}, "object"],
    [new Date(0), "object"],
    ["1", "string"],
    [1, "number"],
    [1.5, "number"],
    [Number.NaN, "NaN"],
    [Infinity, "Infinity"],
    [true, "boolean"],
    [1n, "bigint"],
  ])("of %s is %s", (value, type) => {
    expect(typeOf(value)).toBe(type);
  });
});
