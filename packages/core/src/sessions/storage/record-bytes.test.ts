import { expect, it } from "vitest";
import { recordBytes } from "./record-bytes.ts";

it.each([
  ["", "", 200],
  ["abc", "12345", 208],
  // V8 keeps characters up to ÿ in one byte each.
  ["abc", "ÿÿÿÿÿ", 208],
  ["abc", "1234Ā", 213],
  ["abc", "123😀", 213],
  ["é", "null", 205],
])("a record under %j with the text %j takes %d bytes", (key, text, bytes) => {
  expect(recordBytes(key, text)).toBe(bytes);
});

it("a record that is not there takes none", () => {
  expect(recordBytes("abc", undefined)).toBe(0);
});
