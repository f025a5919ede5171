import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { idOf, keyOf } from "./stored-record.ts";

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 4 }).filter((each) => !each.includes("\0"));
const compare = (one: string, other: string) => Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(other)));

describe("idOf", () => {
  it("gives every namespace and key an id of its own, from which keyOf returns the key", () => {
    const place = fc.tuple(text, text);
    fc.assert(
      fc.property(place, place, (one, other) => {
        expect(keyOf(one[0], idOf(...one))).toBe(one[1]);
        expect(idOf(...one) === idOf(...other)).toBe(one[0] === other[0] && one[1] === other[1]);
      }),
    );
    expect(idOf("a/b", "c")).not.toBe(idOf("a", "b/c"));
  });

  it("sorts the ids of a namespace as its keys", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(compare(idOf("n", one), idOf("n", other))).toBe(compare(one, other));
      }),
    );
  });

  it("keeps the ids of other namespaces out of a range of keys", () => {
    const last = "\u{10ffff}".repeat(257);
    const bound = fc.oneof(fc.constantFrom("", "\u{10ffff}", "\ud7ff", last), text);
    fc.assert(
      fc.property(fc.tuple(bound, bound), text, fc.constantFrom("n", "n/m", "m"), ([from, to], key, namespace) => {
        const id = idOf(namespace, key);
        const isInRange = compare(id, idOf("n", from)) >= 0 && compare(id, idOf("n", to)) < 0;
        expect(isInRange).toBe(namespace === "n" && compare(key, from) >= 0 && compare(key, to) < 0);
      }),
    );
  });
});
