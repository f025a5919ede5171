import { describe, expect, it } from "vitest";
import { maxJsonDepth } from "../base/util/clean-json.ts";
import { describeExcess, describeJsonProblem } from "./json-limits.ts";

const nested = (levels: number) => Array.from({ length: levels }).reduce<unknown[]>((inner) => [inner], []);
const doubling = Array.from({ length: 60 }).reduce<unknown[]>((inner) => [inner, inner], []);
const most = { nodes: 1_000_000, characters: 1_048_576 };

describe("describeExcess", () => {
  it("accepts sixty-four levels and no more", () => {
    expect(describeExcess(nested(maxJsonDepth - 1))).toBeUndefined();
    expect(describeExcess(nested(maxJsonDepth))).toBe("nests deeper than 64 levels");
  });

  it("accepts a million values, with the array around them, and no more", () => {
    expect(describeExcess(Array.from({ length: 999_999 }))).toBeUndefined();
    expect(describeExcess(Array.from({ length: 1_000_000 }))).toBe("holds more than 1000000 values");
  });

  it("names the depth of the last of a million values", () => {
    const value = [...Array.from({ length: 999_935 }), nested(63)];
    expect(describeExcess(value)).toBe("nests deeper than 64 levels");
    expect(describeExcess([0, ...value])).toBe("holds more than 1000000 values");
  });

  it("stops early at a value that shares its parts exponentially often", () => {
    expect(describeExcess(doubling)).toBe("holds more than 1000000 values");
  });

  it("accepts small values that are not JSON", () => {
    expect(describeExcess([Number.NaN, undefined, () => {}, new Date()])).toBeUndefined();
  });
});

describe("describeJsonProblem", () => {
  it.each([[null], [undefined], [true], [0], [""], ["\u{1F600}"], [[]], [{}], [{ a: undefined, b: [null, -0.5] }]])(
    "has nothing against %j",
    (value) => {
      expect(describeJsonProblem(value)).toBeUndefined();
    },
  );

  it.each([
    [{ a: Infinity }, "holds the number Infinity, which JSON cannot hold"],
    [[0, -Infinity], "holds the number -Infinity, which JSON cannot hold"],
    [Number.NaN, "holds the number NaN, which JSON cannot hold"],
    [[1n], "holds a bigint, which JSON cannot hold"],
    [{ a: () => 1 }, "holds a function, which JSON cannot hold"],
    [[Symbol("a")], "holds a symbol, which JSON cannot hold"],
    [["a", "\uD83D"], "holds an unpaired surrogate, which is no character"],
    [{ "\uDE00": 1 }, "holds an unpaired surrogate, which is no character"],
  ])("names the first value that JSON cannot hold: %#", (value, problem) => {
    expect(describeJsonProblem(value)).toBe(problem);
  });

  it("accepts sixty-four levels and no more, unless another number is given", () => {
    expect(describeJsonProblem(nested(maxJsonDepth - 1))).toBeUndefined();
    expect(describeJsonProblem(nested(maxJsonDepth))).toBe("nests deeper than 64 levels");
    expect(describeJsonProblem({ a: { b: 1 } }, 2)).toBeUndefined();
    expect(describeJsonProblem({ a: { b: {} } }, 2)).toBe("nests deeper than 2 levels");
    expect(describeJsonProblem([], 0)).toBe("nests deeper than 0 levels");
    expect(describeJsonProblem("", 0)).toBeUndefined();
  });

  it("counts no level twice for the values beside each other", () => {
    expect(describeJsonProblem([[[]], {}, [[]], { a: {}, b: [], c: {} }], 3)).toBeUndefined();
    expect(describeJsonProblem({ a: [], b: { c: [] }, d: { e: { f: 1 } } }, 3)).toBeUndefined();
    expect(describeJsonProblem([[[]], [[[]]]], 3)).toBe("nests deeper than 3 levels");
  });

  it("counts each value and what is around it, and accepts a million of them", () => {
    expect(describeJsonProblem([1, null, { a: "b" }], 9, { ...most, nodes: 5 })).toBeUndefined();
    expect(describeJsonProblem([1, null, { a: "b" }], 9, { ...most, nodes: 4 })).toBe("holds more than 4 values");
    expect(describeJsonProblem(Array.from({ length: 999_999 }))).toBeUndefined();
    expect(describeJsonProblem(Array.from({ length: 1_000_000 }))).toBe("holds more than 1000000 values");
    expect(describeJsonProblem(doubling)).toBe("holds more than 1000000 values");
  });

  it("counts the characters of all strings and names together, in UTF-16 units, and accepts 1048576 of them", () => {
    const value = { é: "\u{1F600}", bc: ["d", ""] };
    expect(describeJsonProblem(value, 9, { ...most, characters: 6 })).toBeUndefined();
    expect(describeJsonProblem(value, 9, { ...most, characters: 5 })).toBe("is longer than 5 characters");
    expect(describeJsonProblem({ ab: 1 }, 9, { ...most, characters: 1 })).toBe("is longer than 1 characters");
    const half = "x".repeat(524_288);
    expect(describeJsonProblem([half, half])).toBeUndefined();
    expect(describeJsonProblem([half, half, "x"])).toBe("is longer than 1048576 characters");
  });
});
