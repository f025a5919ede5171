import { expect, it } from "vitest";
import {
  checkDimensions,
  checkEmbedding,
  checkVectorName,
  copyDocument,
  holdsNul,
  toRecord,
} from "./check-document.ts";

const refusal = (message: string) =>
  expect.objectContaining({ code: "invalid_value", message: expect.stringContaining(message) });

it("the check of a document copies the part of a document that is kept beside its embedding", () => {
  const metadata = { list: [1] };
  const copy = copyDocument({ id: "a", content: "b", embedding: [1], metadata });
  metadata.list.push(2);

  expect(copy).toEqual({ id: "a", content: "b", metadata: { list: [1] } });
  expect(copyDocument({ id: "a", content: "" })).toEqual({ id: "a", content: "" });
});

it("the check of a document names the kind of the name that it refuses", () => {
  expect(() => checkVectorName("document id", "")).toThrow(refusal("The document id must not be empty."));
  expect(() => checkVectorName("collection name", "a\0b")).toThrow(refusal("The collection name must not hold a NUL"));
});

it.each([undefined, 5, "\ud800"])("the check of a document refuses content that is %j", (content) => {
  expect(() => copyDocument({ id: "a", content: content as string })).toThrow(refusal("The content of a document"));
});

it.each([[[]], ["text"], [null], [5]])("the check of a document refuses a record that is %j", (value) => {
  expect(() => toRecord("metadata", value)).toThrow(refusal("metadata must be an object"));
  expect(() => toRecord("filter", value)).toThrow(refusal("filter must be an object"));
});

it("the check of a document names the place where a record is not JSON", () => {
  expect(() => toRecord("metadata", { deep: [1n] })).toThrow(refusal("metadata.deep[0]"));
});

it("the check of a document returns the length of a vector in 32-bit floats", () => {
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

const said = (message: string) => expect.objectContaining({ code: "invalid_value", message });
const long = 8 * 2 ** 20;

it.each<[string, unknown, string]>([
  ["no content", undefined, "must be a well-formed string"],
  ["half a character", "a\udc00", "must be a well-formed string"],
  ["a NUL character", "a\0", "must not hold a NUL character: remove it"],
  ["too many bytes", "x".repeat(long + 1), "must have at most 8388608 bytes in UTF-8, got 8388609: split it"],
  [
    "too many bytes, not characters",
    "é".repeat(long / 2 + 1),
    "must have at most 8388608 bytes in UTF-8, got 8388610: split it",
  ],
])("refuses a document with %s as its content, and says why", (_what, content, problem) => {
  expect(() => copyDocument({ id: "a", content: content as string })).toThrow(
    said(`The content of a document ${problem}.`),
  );
});

it.each([["x".repeat(long)], ["é".repeat(long / 2)], [""]])(
  "the check of a document takes a content of the largest length",
  (content) => {
    expect(copyDocument({ id: "a", content }).content).toBe(content);
  },
);

it("the check of a document takes metadata of 2 ** 18 bytes as JSON, and refuses one byte more, with the number", () => {
  const sized = (bytes: number) => ({ id: "a", content: "", metadata: { k: "é".repeat(4) + "x".repeat(bytes - 16) } });

  expect(() => copyDocument(sized(2 ** 18))).not.toThrow();
  expect(() => copyDocument(sized(2 ** 18 + 1))).toThrow(
    said("metadata must have at most 262144 bytes as JSON, got 262145: keep large values elsewhere."),
  );
});

it.each([[{ a: "b\0" }], [{ "a\0": 1 }], [{ a: [{ b: "\0" }] }], [{ a: "\\\0" }]])(
  "the check of a document refuses the metadata %j, which hold a NUL character",
  (metadata) => {
    expect(() => copyDocument({ id: "a", content: "", metadata })).toThrow(
      said("metadata must not hold a NUL character: remove it from the names and strings."),
    );
  },
);

it.each([
  ["a\0", true],
  ["\\\0", true],
  ["\\u0000", false],
  ["\\\\u0000", false],
  ["u0000", false],
])("holdsNul finds in the JSON of %j: %s", (text, expected) => {
  expect(holdsNul(JSON.stringify(text))).toBe(expected);
});

it("checkDimensions takes any number of numbers for a store that has none yet", () => {
  expect(() => checkDimensions(3, undefined)).not.toThrow();
  expect(() => checkDimensions(3, 3)).not.toThrow();
  expect(() => checkDimensions(3, 2)).toThrow(
    said("The embedding must have 2 numbers, as the store's vectors, got 3."),
  );
});
