import type { Sample } from "../measure.ts";
import { median, percentile } from "../statistics.ts";
import { toLines } from "../table.ts";

/** The cost of one target, as ratios to another target in the same rounds. */
export type Ratios = { readonly name: string; readonly median: number; readonly p10: number; readonly p90: number };

/** The part above 1 from which a cost counts as higher, if the median and the tenth percentile both reach it. */
const tolerance = 0.05;

/** Returns the ratios of the target `name` to the target `to`, round by round. */
export function ratiosOf(samples: readonly Sample[], name: string, to: string): Ratios {
  const costs = new Map(samples.filter((one) => one.name === to).map((one) => [one.round, one.cpuUsPerUnit]));
  const ratios = samples
    .filter((one) => one.name === name)
    .map((one) => one.cpuUsPerUnit / (costs.get(one.round) ?? Number.NaN));
  return { name: `${name} / ${to}`, median: median(ratios), p10: percentile(ratios, 10), p90: percentile(ratios, 90) };
}

/** Returns true if a change costs more than its base: nearly every round shows it, and the median does. */
export function isDearer(ratios: Ratios): boolean {
  return ratios.median > 1 + tolerance && ratios.p10 > 1 + tolerance;
}

/** Formats ratios as a table. */
export function toRatioTable(figure: string, rows: readonly Ratios[]): string {
  return toLines([
    [figure, "median", "10 %", "90 %"],
    ...rows.map((one) => [one.name, ...[one.median, one.p10, one.p90].map((ratio) => ratio.toFixed(3))]),
  ]);
}
