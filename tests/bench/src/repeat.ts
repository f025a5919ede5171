import type { Summary } from "./report.ts";
import { toLines } from "./table.ts";

/** Largest difference of two measurements of the same target that is still noise. */
export const tolerance = 0.15;

/** One target, measured twice. */
export type Repeat = { first: Summary; second: Summary; difference: number };

/** Pairs the targets of two measurements. */
export function pair(first: readonly Summary[], second: readonly Summary[]): Repeat[] {
  return first.flatMap((one) => {
    const other = second.find(({ name }) => name === one.name);
    return other === undefined
      ? []
      : [{ first: one, second: other, difference: apart(one.calibratedUs, other.calibratedUs) }];
  });
}

/** Formats the repeats as a table. */
export function toRepeatTable(repeats: readonly Repeat[]): string {
  const titles = ["target", "calibrated us", "again", "differ by", "raw us", "again", "differ by"];
  const rows = repeats.map(({ first, second, difference }) => [
    first.name,
    first.calibratedUs.toFixed(1),
    second.calibratedUs.toFixed(1),
    percent(difference),
    first.cpuUs.toFixed(1),
    second.cpuUs.toFixed(1),
    percent(apart(first.cpuUs, second.cpuUs)),
  ]);
  return toLines([titles, ...rows]);
}

/** Returns the difference as a part of the smaller value, so that the order does not matter. */
function apart(one: number, other: number): number {
  return Math.abs(one - other) / Math.min(one, other);
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}
