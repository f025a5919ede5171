import { expect, it } from "vitest";
import { checkVectorName, copyDocument, toRecord } from "./check-document.ts";

const refusal = (message: string) =>
  expect.objectContaining({ code: "invalid_value", message: expect.stringContaining(message) });

it("copies what is kept beside the embedding", () => {
  const metadata = { list: [1] };
  const copy = copyDocument({ id: "a", content: "b", embedding: [1], metadata });
  metadata.list.push(2);

  expect(copy).toEqual({ id: "a", content: "b", metadata: { list: [1] } });
  expect(copyDocument({ id: "a", content: "" })).toEqual({ id: "a", content: "" });
});

it("names the kind of name that it refuses", () => {
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

it("says where a record is not JSON", () => {
  expect(() => toRecord("metadata", { deep: [1n] })).toThrow(refusal("metadata.deep[0]"));
});
