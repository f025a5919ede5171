import { rangeOf, toCosts } from "./costs.ts";
import type { Cost, Range } from "./costs.ts";
import type { Sample } from "./measure.ts";
import { median } from "./statistics.ts";
import { toLines, withRange } from "./table.ts";

/** One target over all rounds. */
export type Summary = Cost & {
  calibratedUs: number;
  calibratedRange: Range;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
};

/** Sums up the samples per target. Ratios are taken to the target named `baseline`. */
export function summarise(samples: readonly Sample[], baseline: string): Summary[] {
  return toCosts(samples, baseline).map((cost) => {
    const own = samples.filter((one) => one.name === cost.name);
    const calibrated = own.map((one) => one.calibratedUsPerUnit);
    return {
      ...cost,
      calibratedUs: median(calibrated),
      calibratedRange: rangeOf(calibrated),
      perSecond: median(own.map((one) => one.unitsPerSecond)),
      p50Ms: median(own.map((one) => one.p50Ms)),
      p99Ms: median(own.map((one) => one.p99Ms)),
    };
  });
}

/** Formats the ratios of all targets to the one that is named. */
export function toRatioTable(samples: readonly Sample[], to: string): string {
  const rows = toCosts(samples, to).map(({ name, ratio, ratioRange }) => [name, withRange(ratio, ratioRange, 2)]);
  return toLines([["target", `ratio to ${to}`], ...rows]);
}

/** Formats the summaries as a table. */
export function toTable(summaries: readonly Summary[], unit: string): string {
  const titles = [
    "target",
    `calibrated us per ${unit}`,
    "ratio to baseline",
    "raw us",
    `${unit}s/s`,
    "p50 ms",
    "p99 ms",
  ];
  const rows = summaries.map((one) => [
    one.name,
    withRange(one.calibratedUs, one.calibratedRange, 1),
    withRange(one.ratio, one.ratioRange, 2),
    one.cpuUs.toFixed(1),
    one.perSecond.toFixed(0),
    one.p50Ms.toFixed(2),
    one.p99Ms.toFixed(2),
  ]);
  return toLines([titles, ...rows]);
}
