import { expect, it } from "vitest";
import { checkEmbedding } from "./check-embedding.ts";

it("gives the length of a vector as 32-bit floats have it", () => {
  expect(checkEmbedding([3, 4], 2)).toBe(5);
  expect(checkEmbedding([1e-30])).toBeCloseTo(1e-30, 35);
});

it.each<[unknown, string]>([
  [[], "The embedding must be a list of at least one number."],
  [null, "The embedding must be a list of at least one number."],
  ["ab", "The embedding must be a list of at least one number."],
  [{ 0: 1, 1: 1, length: 2 }, "The embedding must be a list of at least one number."],
  [[1], "The embedding has 1 numbers, but this store holds vectors of 2."],
  [[1, 0, 0], "The embedding has 3 numbers, but this store holds vectors of 2."],
  [[0, 0], "The embedding is zero, and so has no direction to compare."],
  [[1e-50, 0], "The embedding is zero, and so has no direction to compare."],
  [[1, NaN], "The embedding must be of finite numbers that fit into 32-bit floats."],
  [[1, Infinity], "The embedding must be of finite numbers that fit into 32-bit floats."],
  [[1, 1e39], "The embedding must be of finite numbers that fit into 32-bit floats."],
  [[3e38, 3e38], "The embedding must be of finite numbers that fit into 32-bit floats."],
  [[1, "1"], "The embedding must be of finite numbers that fit into 32-bit floats."],
  [[1, null], "The embedding must be of finite numbers that fit into 32-bit floats."],
])("refuses %j and says why", (embedding, message) => {
  expect(() => checkEmbedding(embedding, 2)).toThrow(expect.objectContaining({ code: "invalid_value", message }));
});
