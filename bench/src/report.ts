import type { Sample } from "./measure.ts";
import { median } from "./statistics.ts";

/** One target over all rounds. */
export type Summary = {
  name: string;
  cpuUs: number;
  cpuRange: [number, number];
  /** The cost against the floor's in the same round: what may be compared between machines. */
  ratio: number;
  ratioRange: [number, number];
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
};

/** Sums up the samples per target; `floor` names the target that ratios are taken against. */
export function summarise(samples: readonly Sample[], floor: string): Summary[] {
  const floorCost = new Map(samples.filter((one) => one.name === floor).map((one) => [one.round, one.cpuUsPerUnit]));
  return [...new Set(samples.map((one) => one.name))].map((name) => {
    const own = samples.filter((one) => one.name === name);
    const costs = own.map((one) => one.cpuUsPerUnit);
    const ratios = own.map((one) => one.cpuUsPerUnit / (floorCost.get(one.round) ?? Number.NaN));
    return {
      name,
      cpuUs: median(costs),
      cpuRange: [Math.min(...costs), Math.max(...costs)],
      ratio: median(ratios),
      ratioRange: [Math.min(...ratios), Math.max(...ratios)],
      perSecond: median(own.map((one) => one.unitsPerSecond)),
      p50Ms: median(own.map((one) => one.p50Ms)),
      p99Ms: median(own.map((one) => one.p99Ms)),
    };
  });
}

/** The summaries as a table for people. */
export function toTable(summaries: readonly Summary[], unit: string): string {
  const rows = summaries.map(({ name, cpuUs, cpuRange, ratio, ratioRange, perSecond, p50Ms, p99Ms }) => [
    name,
    `${cpuUs.toFixed(1)} (${range(cpuRange, 1)})`,
    `${ratio.toFixed(2)} (${range(ratioRange, 2)})`,
    perSecond.toFixed(0),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
  ]);
  const table = [["target", `CPU us per ${unit}`, "ratio to floor", `${unit}s/s`, "p50 ms", "p99 ms"], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")).join("\n");
}

function range([low, high]: [number, number], digits: number): string {
  return `${low.toFixed(digits)} to ${high.toFixed(digits)}`;
}
