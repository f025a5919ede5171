import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idOf, idRange, keyOf, toText } from "./stored-record.ts";

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 4 }).filter((each) => !each.includes("\0"));
const bytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

describe("the id of a record", () => {
  it("tells every namespace and key from every other, and gives the key back", () => {
    const place = fc.tuple(text, text);
    fc.assert(
      fc.property(place, place, (one, other) => {
        expect(keyOf(one[0], idOf(...one))).toBe(one[1]);
        expect(idOf(...one) === idOf(...other)).toBe(one[0] === other[0] && one[1] === other[1]);
      }),
    );
    expect(idOf("a/b", "c")).not.toBe(idOf("a", "b/c"));
  });

  it("is ordered as the keys of a namespace are", () => {
    fc.assert(
      fc.property(text, text, (one, other) => Math.sign(bytes(idOf("n", one), idOf("n", other))) === bytes(one, other)),
    );
  });
});

describe("the range of a prefix", () => {
  it("holds exactly the ids of keys that begin with it", () => {
    const prefix = fc.oneof(fc.constantFrom("", "\u{10ffff}", "\ud7ff", "a\u{10ffff}\u{10ffff}"), text);
    fc.assert(
      fc.property(prefix, text, fc.constantFrom("n", "n/m", "m"), (start, end, namespace) => {
        for (const key of [start + end, end]) {
          const { _id } = idRange("n", start) as { _id: { $gte: string; $lt: string } };
          const id = idOf(namespace, key);
          const isWithin = bytes(id, _id.$gte) >= 0 && bytes(id, _id.$lt) < 0;
          expect(isWithin, `${start} ${key}`).toBe(namespace === "n" && key.startsWith(start));
        }
      }),
    );
  });
});

describe("the text of a value", () => {
  it("is refused when no document can hold it, before anything is written", () => {
    expect(() => toText("x".repeat(16 * 1024 * 1024))).toThrow(expect.objectContaining({ code: "invalid_value" }));
    expect(() => toText("é".repeat(9 * 1024 * 1024))).toThrow(/at most 16769024 bytes/);
    expect(toText("x".repeat(16_769_022))).toHaveLength(16_769_024);
  });

  it("is nothing for null", () => {
    expect(toText(null)).toBeNull();
  });
});
