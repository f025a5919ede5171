import { describe, expect, it } from "vitest";
import type { Sample } from "./measure.ts";
import { summarise, toTable } from "./report.ts";
import { median, percentile } from "./statistics.ts";

const sample = (name: string, round: number, cpuUsPerUnit: number): Sample => ({
  name,
  round,
  cpuUsPerUnit,
  unitsPerSecond: 100,
  p50Ms: 1,
  p99Ms: 2,
});

describe("median", () => {
  it("is the middle value, or lies between the two middle ones", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([1, 9, 5, 3])).toBe(4);
    expect(median([])).toBeNaN();
  });
});

describe("percentile", () => {
  it("is the value below which so many hundredths lie", () => {
    const values = Array.from({ length: 200 }, (_, at) => 199 - at);

    expect([percentile(values, 50), percentile(values, 99), percentile(values, 100)]).toEqual([100, 198, 199]);
  });
});

describe("summarise", () => {
  it("takes ratios within a round, so that a slow round harms nobody", () => {
    const samples = [
      sample("floor", 0, 100),
      sample("peer", 0, 200),
      sample("floor", 1, 1000),
      sample("peer", 1, 2000),
    ];

    expect(summarise(samples, "floor")).toMatchObject([
      { name: "floor", cpuUs: 550, ratio: 1 },
      { name: "peer", cpuUs: 1100, cpuRange: [200, 2000], ratio: 2, ratioRange: [2, 2] },
    ]);
  });

  it("has no ratio in a round without the floor", () => {
    expect(summarise([sample("peer", 0, 1)], "floor")[0]?.ratio).toBeNaN();
  });
});

describe("toTable", () => {
  it("prints a line per target under one of titles", () => {
    const table = toTable(summarise([sample("floor", 0, 100)], "floor"), "request").split("\n");

    expect(table).toHaveLength(2);
    expect(table[0]).toContain("CPU us per request");
    expect(table[1]).toMatch(/^floor +100\.0 \(100\.0 to 100\.0\) +1\.00/);
  });
});
