import * as fc from "fast-check";
import { expect, it } from "vitest";
import { NearestItems } from "./nearest-items.ts";

it("NearestItems keeps the items that sorting everything would keep", () => {
  const scores = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 60, size: "max" });

  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 12 }), (given, limit) => {
      const all = given.map((score, index) => ({ item: { id: String.fromCodePoint(90 - index) }, score }));
      const nearest = new NearestItems<{ id: string }>(limit);
      for (const scored of all) if (nearest.wants(scored.score)) nearest.add(scored);

      const sorted = all.toSorted((one, other) => other.score - one.score || (one.item.id < other.item.id ? -1 : 1));
      expect(nearest.toSorted()).toEqual(sorted.slice(0, limit));
    }),
    { numRuns: 500 },
  );
});
