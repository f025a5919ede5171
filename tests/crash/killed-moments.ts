import { moments } from "./service-process.ts";
import type { Moment } from "./service-process.ts";

/** A named moment, or any. */
export type KilledMoment = Moment | "random";

/** The three moments at which a trial kills, one after the other: fifteen trials in a row have each named one five times. */
export function killedMoments(trial: number): KilledMoment[] {
  const named = [2 * trial, 2 * trial + 1].flatMap((index) => moments[index % moments.length] ?? []);
  return [...named, "random"];
}
