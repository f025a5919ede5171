import { describe, expect, it } from "vitest";
import type { Sample } from "../measure.ts";
import { isDearer, ratiosOf } from "./ratios.ts";

const sample = (name: string, round: number, cpuUsPerUnit: number): Sample => ({
  name,
  round,
  cpuUsPerUnit,
  calibratedUsPerUnit: cpuUsPerUnit,
  unitsPerSecond: 1,
  p50Ms: 1,
  p99Ms: 1,
});

/** Rounds in which the base costs more and more, and the change this many times as much. */
const roundsOf = (ratios: readonly number[]): Sample[] =>
  ratios.flatMap((ratio, round) => [
    sample("base", round, 100 + round),
    sample("change", round, (100 + round) * ratio),
  ]);

const verdictOf = (ratios: readonly number[]) => isDearer(ratiosOf(roundsOf(ratios), "change", "base"));

describe("a change beside its base", () => {
  it("is compared within each round", () => {
    const { median, p10, p90 } = ratiosOf(roundsOf([1.2, 1.1, 1.3]), "change", "base");
    expect([median, p10, p90].map((ratio) => ratio.toFixed(2))).toEqual(["1.20", "1.10", "1.30"]);
  });

  it.each([
    ["all rounds are 6 % above", Array.from({ length: 20 }, () => 1.06), true],
    ["all rounds are 4 % above", Array.from({ length: 20 }, () => 1.04), false],
    ["only the median is above", [...Array.from({ length: 17 }, () => 1.2), 1, 1, 1], false],
    ["two of twenty rounds are below", [...Array.from({ length: 18 }, () => 1.2), 1, 1], true],
    ["a single round is far above", [...Array.from({ length: 19 }, () => 1), 9], false],
  ])("is dearer only if nearly every round shows it: %s", (_case, ratios, expected) => {
    expect(verdictOf(ratios)).toBe(expected);
  });
});
