import * as fc from "fast-check";
import { expect, it } from "vitest";
import { compareUtf8 } from "../../base/util/compare-utf8.ts";
import { SortedKeys } from "./sorted-keys.ts";

const bytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

it("SortedKeys lists the same keys as a sorted array, over many blocks, from any position, in both directions", () => {
  const key = fc.oneof(fc.nat({ max: 5000 }).map(String), fc.string({ unit: "binary", maxLength: 3 }));
  const keys = fc.uniqueArray(key, { minLength: 1100, maxLength: 1600, size: "max" });

  fc.assert(
    fc.property(keys, fc.nat({ max: 1000 }), key, (added, removed, position) => {
      const sorted = new SortedKeys();
      for (const one of added) sorted.add(one);
      for (const one of added.slice(0, removed)) sorted.remove(one);

      const expected = added.slice(removed).toSorted(bytes);
      const isBefore = (other: string) => compareUtf8(other, position) < 0;
      expect([...sorted.after(isBefore)]).toEqual(expected.filter((other) => bytes(other, position) >= 0));
      expect([...sorted.before(isBefore)]).toEqual(expected.filter((other) => bytes(other, position) < 0).toReversed());
    }),
    { numRuns: 12 },
  );
});

it("SortedKeys can be emptied and filled again", () => {
  const sorted = new SortedKeys();

  for (const key of ["b", "a"]) sorted.add(key);
  for (const key of ["a", "b"]) sorted.remove(key);
  sorted.add("c");

  expect([...sorted.after(() => false)]).toEqual(["c"]);
  expect([...sorted.before(() => true)]).toEqual(["c"]);
});
