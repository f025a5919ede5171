import { describe, expect, it } from "vitest";
import type { ContentPart } from "./content.ts";
import { isStoredPart, storedDataReferenceOf } from "./stored-data.ts";

const stored = { seq: 0, index: 1, id: "w", bytes: 5, pieces: 2 };

describe("isStoredPart", () => {
  it.each(["image", "audio", "file"])("accepts an %s with a reference", (type) => {
    expect(isStoredPart({ type, stored })).toBe(true);
    expect(isStoredPart({ type, stored: { ...stored, more: 1 }, mimeType: "a/b", data: undefined })).toBe(true);
  });

  it.each<[string, unknown]>([
    ["its data beside the reference", { type: "image", stored, data: "aGk=" }],
    ["empty data beside it", { type: "image", stored, data: "" }],
    ["no reference", { type: "image" }],
    ["a reference of null", { type: "image", stored: null }],
    ["a reference that is an array", { type: "image", stored: [] }],
    ["the type of text", { type: "text", stored }],
    ["an inherited type", { type: "constructor", stored }],
    ["no type", { stored }],
    ["an id that is a number", { type: "image", stored: { ...stored, id: 1 } }],
    ["no id", { type: "image", stored: { ...stored, id: undefined } }],
  ])("refuses a part with %s", (_, part) => {
    expect(isStoredPart(part)).toBe(false);
  });

  it.each(["seq", "index", "bytes", "pieces"])("refuses a reference whose %s is no count", (name) => {
    for (const value of [-1, 0.5, Number.NaN, 2 ** 53, "1", null, undefined]) {
      expect(isStoredPart({ type: "file", stored: { ...stored, [name]: value } })).toBe(false);
    }
    expect(isStoredPart({ type: "file", stored: { ...stored, [name]: 0 } })).toBe(true);
  });

  it.each([[null], [undefined], ["image"], [[]]])("refuses %j", (value) => {
    expect(isStoredPart(value)).toBe(false);
  });
});

describe("storedDataReferenceOf", () => {
  it("returns the reference of a part without data alone", () => {
    const read = (part: object) => storedDataReferenceOf(part as ContentPart);

    expect(read({ type: "image", stored })).toBe(stored);
    expect(read({ type: "image", data: "aGk=", stored })).toBeUndefined();
    expect(read({ type: "image", data: "", stored })).toBeUndefined();
    expect(read({ type: "image", data: "aGk=" })).toBeUndefined();
    expect(read({ type: "text", text: "Hi" })).toBeUndefined();
  });
});
