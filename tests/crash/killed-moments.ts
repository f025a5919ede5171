import { moments } from "./service-process.ts";
import type { Moment } from "./service-process.ts";

/** A named moment, or a random one. */
export type KilledMoment = Moment | "random";

/** The three moments at which a trial kills. Fifteen trials in a row name each moment five times. */
export function killedMoments(trial: number): KilledMoment[] {
  const named = [2 * trial, 2 * trial + 1].flatMap((index) => moments[index % moments.length] ?? []);
  return [...named, "random"];
}
