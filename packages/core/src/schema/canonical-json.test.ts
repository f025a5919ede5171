import { describe, expect, it } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

describe("canonicalJson", () => {
  it.each<[unknown, string]>([
    [null, "null"],
    [true, "true"],
    [false, "false"],
    [0, "0"],
    [-0, "0"],
    [1.5e300, "1.5e+300"],
    ['a"\n', String.raw`"a\"\n"`],
    ["1", '"1"'],
    ["\ud83d", String.raw`"\ud83d"`],
    [[], "[]"],
    [{}, "{}"],
    [[3, 1, [2]], "[3,1,[2]]"],
    [{ b: 1, a: { d: [2], c: 3 } }, '{"a":{"c":3,"d":[2]},"b":1}'],
    [{ 10: 1, 9: 2, a: 3, B: 4 }, '{"10":1,"9":2,"B":4,"a":3}'],
    [{ b: undefined, a: null }, '{"a":null}'],
    [JSON.parse('{"constructor":1,"__proto__":{"a":2}}'), '{"__proto__":{"a":2},"constructor":1}'],
    [Object.create({ inherited: 1 }), "{}"],
    [[undefined, 1], "[undefined,1]"],
    [Number.NaN, "NaN"],
    [-Infinity, "-Infinity"],
    [12n, "12n"],
    [() => 1, "function"],
    [Symbol("a"), "symbol"],
  ])("writes equal values alike: %s", (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it("leaves the value as it was", () => {
    const value = { b: [2, 1], a: 1 };
    canonicalJson(value);

    expect(JSON.stringify(value)).toBe('{"b":[2,1],"a":1}');
  });

  it.each<[unknown, number[]]>([
    [1, [1]],
    [[], [1]],
    ["", [1]],
    ["x".repeat(128), [3]],
    [
      [1, "x".repeat(32)],
      [1, 1, 1.5],
    ],
    [{ a: { b: [null] }, c: undefined }, [1, 1, 1, 1]],
  ])("spends a step for each value, and more for a long string: %j", (value, steps) => {
    const spent: number[] = [];
    canonicalJson(value, { spend: (count) => void spent.push(count) });

    expect(spent).toEqual(steps);
  });

  it("ends when the budget is exhausted", () => {
    let left = 3;
    const spend = () => {
      left -= 1;
      if (left < 0) throw new RangeError("too costly");
    };

    expect(() => canonicalJson([1, 2], { spend })).not.toThrow();
    left = 3;
    expect(() => canonicalJson([1, { a: 2 }], { spend })).toThrow("too costly");
  });
});
