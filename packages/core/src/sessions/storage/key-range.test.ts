import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keyRange } from "./key-range.ts";

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom("a", "b", "\u0001", "\ud7ff", "\ue000", "\u{10ffff}"),
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
  ),
  maxLength: 4,
});
const key = text.filter((each) => each !== "" && !each.includes("\0"));

const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

describe("keyRange", () => {
  it("holds exactly the keys that begin with the prefix and come behind the place", () => {
    const listing = fc.record({ prefix: text, after: fc.option(key), reverse: fc.boolean() });
    const property = fc.property(key, listing, (listed, { prefix, after, reverse }) => {
      const { from, to } = keyRange(prefix, { reverse, ...(after !== null && { after }) });
      const isIn = compare(listed, from) >= 0 && compare(listed, to) < 0;
      const isBehind = after === null || (reverse ? compare(listed, after) < 0 : compare(listed, after) > 0);

      expect(isIn).toBe(listed.startsWith(prefix) && isBehind);
    });

    fc.assert(property, { numRuns: 5000 });
  });

  it("holds the longest of the last keys", () => {
    const last = "\u{10ffff}".repeat(256);

    expect(compare(last, keyRange("").to)).toBeLessThan(0);
    expect(compare(last, keyRange(last).to)).toBeLessThan(0);
  });

  it.each(["a/", "\ud7ff", "\u{10ffff}", "x\u{10ffff}"])(
    "is made of text that can be stored, for the prefix %j",
    (prefix) => {
      const { from, to } = keyRange(prefix);

      expect(from.isWellFormed() && to.isWellFormed()).toBe(true);
      expect(`${from}${to}`).not.toContain("\0");
    },
  );
});
