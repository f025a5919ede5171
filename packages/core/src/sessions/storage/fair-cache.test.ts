import fc from "fast-check";
import { expect, it } from "vitest";
import { FairCache } from "./fair-cache.ts";

const limits = { maxEntries: 8, maxBytes: 60 };
const act = fc.record({
  what: fc.constantFrom("add", "add", "add", "use", "delete"),
  group: fc.constantFrom("ann", "bob", "zoë"),
  entry: fc.nat(4),
  bytes: fc.integer({ min: 1, max: 20 }),
});

/** A cache that looks at all it has for each drop: its entries by key, the least recently used first. */
class PlainCache {
  readonly dropped: string[] = [];
  readonly #entries = new Map<string, number>();
  /** The last use of each group, also of an entry that was deleted since. */
  readonly #lastUses = new Map<string, number>();
  #uses = 0;

  add(key: string, bytes: number): void {
    const sum = (this.#entries.get(key) ?? 0) + bytes;
    this.#entries.delete(key);
    this.#entries.set(key, sum);
    this.#lastUses.set(groupOf(key), ++this.#uses);
    for (;;) {
      const bytesHeld = [...this.#entries.values()].reduce((total, each) => total + each, 0);
      const isFull = bytesHeld > limits.maxBytes;
      if (!isFull && this.#entries.size <= limits.maxEntries) return;
      const oldest = this.#oldestOfFullest(isFull);
      this.#entries.delete(oldest);
      this.dropped.push(oldest);
    }
  }

  use(key: string): void {
    const bytes = this.#entries.get(key);
    if (bytes === undefined) return;
    this.#entries.delete(key);
    this.#entries.set(key, bytes);
    this.#lastUses.set(groupOf(key), ++this.#uses);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  #oldestOfFullest(isByBytes: boolean): string {
    const groups = [...Map.groupBy(this.#entries, ([key]) => groupOf(key)).values()];
    const amountOf = (entries: [string, number][]) =>
      entries.reduce((sum, [, bytes]) => sum + (isByBytes ? bytes : 1), 0);
    const most = Math.max(...groups.map(amountOf));
    const lastUse = (entries: [string, number][]) => this.#lastUses.get(groupOf(entries[0]?.[0] ?? "")) ?? 0;
    const fullest = groups.filter((entries) => amountOf(entries) === most);
    const [chosen] = fullest.toSorted((one, other) => lastUse(one) - lastUse(other));
    return chosen?.[0]?.[0] ?? "";
  }
}

function groupOf(key: string): string {
  return key.split("/")[0] ?? "";
}

it("FairCache drops what a cache does that looks at all groups each time, whatever was added, used and deleted", () => {
  let drops = 0;
  fc.assert(
    fc.property(fc.array(act, { minLength: 20, maxLength: 60 }), (acts) => {
      const plain = new PlainCache();
      const dropped: string[] = [];
      const cache = new FairCache({ ...limits, groupOf, onDrop: (key) => dropped.push(key) });
      for (const { what, group, entry, bytes } of acts) {
        const key = `${group}/${entry}`;
        if (what === "add") {
          cache.add(key, bytes);
          cache.trim(key, () => false);
          plain.add(key, bytes);
        } else {
          cache[what](key);
          plain[what](key);
        }
        expect(dropped).toEqual(plain.dropped);
      }
      drops += dropped.length;
    }),
    { numRuns: 300 },
  );
  expect(drops).toBeGreaterThan(300);
});
