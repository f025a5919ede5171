import { expect, it } from "vitest";
import { findExcess, maxJsonDepth } from "./json-limits.ts";

const nested = (levels: number) => Array.from({ length: levels }).reduce<unknown[]>((inner) => [inner], []);

it("takes sixty-four levels and no more", () => {
  expect(findExcess(nested(maxJsonDepth - 1))).toBeUndefined();
  expect(findExcess(nested(maxJsonDepth))).toBe("nests deeper than 64 levels");
});

it("ends soon on a value whose parts are shared so often that it is endless", () => {
  const doubling = Array.from({ length: 60 }).reduce<unknown[]>((inner) => [inner, inner], []);

  expect(findExcess(doubling)).toBe("holds more than 1000000 values");
});

it("finds nothing wrong with what is not JSON but small", () => {
  expect(findExcess([Number.NaN, undefined, () => {}, new Date()])).toBeUndefined();
});
