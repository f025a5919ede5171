import { expect, it } from "vitest";
import { maxJsonDepth } from "../base/util/clean-json.ts";
import { describeExcess } from "./json-limits.ts";

const nested = (levels: number) => Array.from({ length: levels }).reduce<unknown[]>((inner) => [inner], []);

it("accepts sixty-four levels and no more", () => {
  expect(describeExcess(nested(maxJsonDepth - 1))).toBeUndefined();
  expect(describeExcess(nested(maxJsonDepth))).toBe("nests deeper than 64 levels");
});

it("stops early at a value that shares its parts exponentially often", () => {
  const doubling = Array.from({ length: 60 }).reduce<unknown[]>((inner) => [inner, inner], []);

  expect(describeExcess(doubling)).toBe("holds more than 1000000 values");
});

it("accepts small values that are not JSON", () => {
  expect(describeExcess([Number.NaN, undefined, () => {}, new Date()])).toBeUndefined();
});
