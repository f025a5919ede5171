import { describe, expect, it } from "vitest";
import { checkRecordKey, checkListing, checkListOptions, checkPrefix } from "./check-key.ts";

const longest = "k".repeat(1024);
const invalid = (message: string) => expect.objectContaining({ code: "invalid_value", message });

const wrong = [
  [`${longest}k`, "must have at most 1024 bytes in UTF-8, got 1025"],
  ["é".repeat(513), "must have at most 1024 bytes in UTF-8, got 1026"],
  ["a\ud800", "must be a well-formed string, but holds an unpaired surrogate"],
  ["a\0b", "must not hold a NUL character"],
  [5, "must be a string, got 5"],
  [null, "must be a string, got null"],
  [{ secret: 1 }, "must be a string, got an object"],
] as [string, string][];

describe("the check of a key", () => {
  it.each(["k", " ", longest, "é".repeat(512), "__proto__", "a/b", "😀"])("takes %j", (key) => {
    expect(() => checkRecordKey(key, "k")).not.toThrow();
    expect(() => checkRecordKey("n", key)).not.toThrow();
    expect(() => checkPrefix("n", key)).not.toThrow();
    expect(() => checkListOptions({ after: key })).not.toThrow();
  });

  it.each([["", "must not be empty"], ...wrong])("refuses %j, which it names", (text, problem) => {
    expect(() => checkRecordKey(text, "k")).toThrow(invalid(`The storage namespace ${problem}.`));
    expect(() => checkRecordKey("n", text)).toThrow(invalid(`The storage key ${problem}.`));
    expect(() => checkPrefix(text, "p")).toThrow(invalid(`The storage namespace ${problem}.`));
  });

  it("names the namespace first", () => {
    expect(() => checkRecordKey("", "")).toThrow(invalid("The storage namespace must not be empty."));
  });
});

describe("the check of a listing", () => {
  it("takes an empty prefix, an empty start, and no options", () => {
    expect(() => checkPrefix("n", "")).not.toThrow();
    expect(() => checkListOptions({})).not.toThrow();
    expect(() => checkListOptions({ after: "", limit: 1 })).not.toThrow();
    expect(() => checkListing({ namespace: "n", prefix: "", limit: 1 })).not.toThrow();
    expect(() => checkListing({ namespace: "n", prefix: "p", limit: 2, after: "p/1" })).not.toThrow();
  });

  it.each(wrong)("refuses a prefix or a start %j", (text, problem) => {
    expect(() => checkPrefix("n", text)).toThrow(invalid(`The storage prefix ${problem}.`));
    const start = invalid(`The storage list option "after" ${problem}.`);
    expect(() => checkListOptions({ after: text })).toThrow(start);
    expect(() => checkListing({ namespace: "n", prefix: "", limit: 1, after: text })).toThrow(start);
    expect(() => checkListing({ namespace: "n", prefix: text, limit: 1 })).toThrow(
      invalid(`The storage prefix ${problem}.`),
    );
  });

  it.each([0, -1, 1.5, NaN, Infinity, 2 ** 53, "1"] as number[])("refuses the limit %j", (limit) => {
    const error = invalid(`The storage list limit must be a positive integer, got ${limit}.`);
    expect(() => checkListOptions({ limit })).toThrow(error);
    expect(() => checkListing({ namespace: "n", prefix: "p", limit })).toThrow(error);
  });

  it("refuses an empty namespace of one of several listings", () => {
    expect(() => checkListing({ namespace: "", prefix: "p", limit: 1 })).toThrow(
      invalid("The storage namespace must not be empty."),
    );
  });
});
