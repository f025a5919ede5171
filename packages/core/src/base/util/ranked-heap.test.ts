import fc from "fast-check";
import { expect, it } from "vitest";
import { RankedHeap } from "./ranked-heap.ts";

type Item = { readonly id: number; rank: number };

it("RankedHeap finds the first item after any changes", () => {
  const change = fc.record({ id: fc.nat(12), rank: fc.option(fc.nat(8)) });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 80 }), (changes) => {
      const heap = new RankedHeap<Item>((one, other) => one.rank > other.rank);
      const items = Array.from({ length: 13 }, (_, id) => ({ id, rank: 0 }));
      const held = new Set<Item>();
      for (const { id, rank } of changes) {
        const item = items[id] as Item;
        if (rank === null) {
          heap.delete(item);
          held.delete(item);
        } else {
          item.rank = rank;
          heap.update(item);
          held.add(item);
        }
        const highest = Math.max(...[...held].map((each) => each.rank));
        expect(heap.first?.rank).toBe(held.size === 0 ? undefined : highest);
        expect(heap.first === undefined || held.has(heap.first)).toBe(true);
      }
    }),
  );
});

it("RankedHeap looks at some forty items for a change among a hundred thousand, not at all", () => {
  let looks = 0;
  const heap = new RankedHeap<Item>((one, other) => (looks++, one.rank > other.rank));
  const items = Array.from({ length: 100_000 }, (_, id) => ({ id, rank: (id * 7919) % 100_003 }));
  for (const item of items) heap.update(item);
  looks = 0;
  for (const item of items.slice(0, 1000)) {
    item.rank = (item.rank * 31) % 100_003;
    heap.update(item);
  }

  expect(looks / 1000).toBeLessThan(40);
});
