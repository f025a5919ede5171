import { expect, it } from "vitest";
import { checkEmbedding, checkVectorName, copyDocument, toRecord } from "./check-document.ts";

const refusal = (message: string) =>
  expect.objectContaining({ code: "invalid_value", message: expect.stringContaining(message) });

it("copies the part of a document that is kept beside its embedding", () => {
  const metadata = { list: [1] };
  const copy = copyDocument({ id: "a", content: "b", embedding: [1], metadata });
  metadata.list.push(2);

  expect(copy).toEqual({ id: "a", content: "b", metadata: { list: [1] } });
  expect(copyDocument({ id: "a", content: "" })).toEqual({ id: "a", content: "" });
});

it("names the kind of the name that it refuses", () => {
  expect(() => checkVectorName("document id", "")).toThrow(refusal("The document id must not be empty."));
  expect(() => checkVectorName("collection name", "a\0b")).toThrow(refusal("The collection name must not hold a NUL"));
});

it.each([undefined, 5, "\ud800"])("refuses content that is %j", (content) => {
  expect(() => copyDocument({ id: "a", content: content as string })).toThrow(refusal("The content of a document"));
});

it.each([[[]], ["text"], [null], [5]])("refuses a record that is %j", (value) => {
  expect(() => toRecord("metadata", value)).toThrow(refusal("metadata must be an object"));
  expect(() => toRecord("filter", value)).toThrow(refusal("filter must be an object"));
});

it("names the place where a record is not JSON", () => {
  expect(() => toRecord("metadata", { deep: [1n] })).toThrow(refusal("metadata.deep[0]"));
});

it("returns the length of a vector in 32-bit floats", () => {
  expect(checkEmbedding([3, 4], 2)).toBe(5);
  expect(checkEmbedding([1e-30])).toBeCloseTo(1e-30, 35);
});

it.each<[unknown, string]>([
  [[], "The embedding must be a non-empty array of numbers."],
  [null, "The embedding must be a non-empty array of numbers."],
  ["ab", "The embedding must be a non-empty array of numbers."],
  [{ 0: 1, 1: 1, length: 2 }, "The embedding must be a non-empty array of numbers."],
  [[1], "The embedding must have 2 numbers, as the store's vectors, got 1."],
  [[1, 0, 0], "The embedding must have 2 numbers, as the store's vectors, got 3."],
  [[0, 0], "The embedding must not be zero, which has no direction."],
  [[1e-50, 0], "The embedding must not be zero, which has no direction."],
  [[1, NaN], "The embedding must have only finite numbers that fit into 32-bit floats."],
  [[1, Infinity], "The embedding must have only finite numbers that fit into 32-bit floats."],
  [[1, 1e39], "The embedding must have only finite numbers that fit into 32-bit floats."],
  [[3e38, 3e38], "The embedding must have only finite numbers that fit into 32-bit floats."],
  [[1, "1"], "The embedding must have only finite numbers that fit into 32-bit floats."],
  [[1, null], "The embedding must have only finite numbers that fit into 32-bit floats."],
])("refuses the embedding %j and says why", (embedding, message) => {
  expect(() => checkEmbedding(embedding, 2)).toThrow(expect.objectContaining({ code: "invalid_value", message }));
});
