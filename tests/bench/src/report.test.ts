import { describe, expect, it } from "vitest";
import { calibrate, toCosts } from "./costs.ts";
import type { Sample } from "./measure.ts";
import { pair, toRepeatTable } from "./repeat.ts";
import { summarise, toRatioTable, toTable } from "./report.ts";
import { median, percentile } from "./statistics.ts";

const sample = (name: string, round: number, cpuUsPerUnit: number): Sample => ({
  name,
  round,
  cpuUsPerUnit,
  calibratedUsPerUnit: cpuUsPerUnit / 2,
  unitsPerSecond: 100,
  p50Ms: 1,
  p99Ms: 2,
});

describe("median", () => {
  it("returns the middle value, or the mean of the two middle ones", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([1, 9, 5, 3])).toBe(4);
    expect(median([])).toBeNaN();
  });
});

describe("percentile", () => {
  it("returns the value below which that percentage of the values lies", () => {
    const values = Array.from({ length: 200 }, (_, at) => 199 - at);

    expect([percentile(values, 50), percentile(values, 99), percentile(values, 100)]).toEqual([100, 198, 199]);
  });
});

describe("calibrate", () => {
  it("gives the same cost on a machine that is twice as slow", () => {
    expect(calibrate(300, 120)).toBe(250);
    expect(calibrate(600, 240)).toBe(250);
  });
});

describe("toCosts", () => {
  it("takes ratios within a round, so that a slow round changes nothing", () => {
    const rounds = [
      sample("baseline", 0, 100),
      sample("peer", 0, 200),
      sample("baseline", 1, 1000),
      sample("peer", 1, 2000),
    ];

    expect(toCosts(rounds, "baseline")).toEqual([
      { name: "baseline", cpuUs: 550, ratio: 1, ratioRange: [1, 1] },
      { name: "peer", cpuUs: 1100, ratio: 2, ratioRange: [2, 2] },
    ]);
  });

  it("has no ratio in a round without the baseline", () => {
    expect(toCosts([sample("peer", 0, 1)], "baseline")[0]?.ratio).toBeNaN();
  });
});

describe("summarise", () => {
  it("keeps calibrated and raw costs apart", () => {
    const samples = [sample("baseline", 0, 100), sample("baseline", 1, 400)];

    expect(summarise(samples, "baseline")).toMatchObject([
      { cpuUs: 250, calibratedUs: 125, calibratedRange: [50, 200] },
    ]);
  });
});

describe("toTable", () => {
  it("has a line of titles and a line for each target", () => {
    const table = toTable(summarise([sample("baseline", 0, 100)], "baseline"), "request").split("\n");

    expect(table).toHaveLength(2);
    expect(table[0]).toContain("calibrated us per request");
    expect(table[1]).toMatch(/^baseline +50\.0 \(50\.0 to 50\.0\) +1\.00 \(1\.00 to 1\.00\) +100\.0 /);
  });
});

describe("toRatioTable", () => {
  it("has the ratios of a round to any target", () => {
    const samples = [sample("baseline", 0, 100), sample("own", 0, 200), sample("peer", 0, 300)];

    expect(
      toRatioTable(samples, "own")
        .split("\n")
        .map((line) => line.trim().split(/ {2,}/)),
    ).toEqual([
      ["target", "ratio to own"],
      ["baseline", "0.50 (0.50 to 0.50)"],
      ["own", "1.00 (1.00 to 1.00)"],
      ["peer", "1.50 (1.50 to 1.50)"],
    ]);
  });
});

describe("pair", () => {
  it("returns the difference as a part of the smaller median, whichever came first", () => {
    const low = summarise([sample("baseline", 0, 100)], "baseline");
    const high = summarise([sample("baseline", 0, 125)], "baseline");

    expect(pair(low, high)[0]?.difference).toBe(0.25);
    expect(pair(high, low)[0]?.difference).toBe(0.25);
    expect(toRepeatTable(pair(low, high))).toMatch(/50\.0 +62\.5 +25\.0 % +100\.0 +125\.0 +25\.0 %$/);
  });
});
