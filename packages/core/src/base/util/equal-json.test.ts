import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalJson } from "./equal-json.ts";

describe("equalJson", () => {
  it("ignores the order of properties, and compares the order of arrays", () => {
    expect(equalJson({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 })).toBe(true);
    expect(equalJson([1, 2], [2, 1])).toBe(false);
  });

  it.each([
    [[], {}],
    [{ 0: "a" }, ["a"]],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1 }, { b: 1 }],
    [null, {}],
    [1, "1"],
    [{ toString: null }, {}],
    [JSON.parse('{"__proto__":{}}'), {}],
  ])("distinguishes %j from %j", (one, other) => {
    expect(equalJson(one, other)).toBe(false);
    expect(equalJson(other, one)).toBe(false);
  });

  it("agrees with isDeepStrictEqual on any two values, and on a value and its copy", () => {
    const json = fc.jsonValue({ maxDepth: 4 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(equalJson(one, other)).toBe(isDeepStrictEqual(one, other));
        expect(equalJson(one, structuredClone(one))).toBe(true);
      }),
    );
  });
});
