import { describe, expect, it } from "vitest";
import { mapBounded } from "./map-bounded.ts";

describe("mapBounded", () => {
  it("returns results in the order of the items, whichever is done first", async () => {
    const items = Array.from({ length: 50 }, (_, index) => index);

    const results = await mapBounded(items, async (item) => {
      for (let tick = 0; tick < 50 - item; tick++) await Promise.resolve();
      return item * 2;
    });

    expect(results).toEqual(items.map((item) => item * 2));
  });

  it("maps at most eight items at a time", async () => {
    let running = 0;
    let most = 0;

    await mapBounded(Array.from({ length: 40 }), async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
    });

    expect(most).toBe(8);
  });

  it("starts no item after a failure", async () => {
    const begun: number[] = [];

    const mapping = mapBounded(
      Array.from({ length: 40 }, (_, index) => index),
      async (item) => {
        begun.push(item);
        await Promise.resolve();
        if (item === 3) throw new Error("planned");
      },
    );

    await expect(mapping).rejects.toThrow("planned");
    await Promise.resolve();
    expect(begun.length).toBeLessThanOrEqual(16);
  });

  it("returns an empty array for no items", async () => {
    expect(await mapBounded([], async () => 1)).toEqual([]);
  });
});
