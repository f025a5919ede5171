import { describe, expect, it } from "vitest";
import { seededRandom } from "./seeded-random.ts";

describe("seededRandom", () => {
  it("returns the same numbers for the same seed, spread over the whole range", () => {
    const draw = (seed: number) => Array.from({ length: 1000 }, seededRandom(seed));

    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    const tenths = new Set(draw(7).map((value) => Math.floor(value * 10)));
    expect([...tenths].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
