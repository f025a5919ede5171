import type { StoredEntry } from "../../run-log/read-run-log.ts";
import type { StoredRun } from "./evidence.ts";
import type { NodeProcess } from "./node-process.ts";

/** A time in which a database was away. */
export type Disturbance = { from: number; to: number };

/** A run that went on in another process after its own was killed. */
export type Takeover = {
  runId: string;
  ms: number;
  /** True if another process had a free slot all the time, and its database. */
  wasFree: boolean;
  /** Number of runs that began between the kill and the takeover. */
  newRuns: number;
};

/** The fates of the processes of a trial, and the times at which a database was away. */
export type Fates = { processes: readonly NodeProcess[]; disturbances: readonly Disturbance[] };

/** Milliseconds before a kill in which the database must have been there. */
const quietMs = 2000;

/** Finds the takeovers after kills in the logs of runs. */
export function findTakeovers(runs: readonly StoredRun[], fates: Fates): Takeover[] {
  const firsts = runs.flatMap(({ entries }) => entries.find(({ t }) => t === "attempt")?.["at"] ?? []).map(Number);
  return runs.flatMap(({ runId, entries }) => {
    return attemptsIn(entries).flatMap(({ node, at, next }) => {
      const dead = fates.processes.find(({ name }) => name === node);
      if (next === undefined || dead === undefined || !(at < dead.killedAt && dead.killedAt < next)) return [];
      const window = { from: dead.killedAt, to: next };
      const newRuns = firsts.filter((first) => first > window.from && first < window.to).length;
      return [{ runId, ms: next - dead.killedAt, wasFree: isQuiet(window, dead, fates), newRuns }];
    });
  });
}

/**
 * Finds the attempts that were overtaken though their process was neither killed nor stopped. A run that has just begun may be
 * cancelled by another process, whose attempt only ends it.
 */
export function findNeedlessTakeovers(runs: readonly StoredRun[], { processes }: Fates): string[] {
  const others = runs.filter(({ status }) => status !== "cancelled");
  return others.flatMap(({ runId, entries }) => {
    return attemptsIn(entries).flatMap(({ node, at, next }) => {
      const process = processes.find(({ name }) => name === node);
      const hasLived = process !== undefined && process.killedAt > (next ?? 0) && process.stops.length === 0;
      return next !== undefined && hasLived && at < next ? [runId] : [];
    });
  });
}

/** The attempts at a run, each with the time of the next one, where it was cut off by that. */
function attemptsIn(entries: readonly StoredEntry[]): { node: string; at: number; next: number | undefined }[] {
  const places = entries.flatMap(({ t }, index) => (t === "attempt" ? [index] : []));
  return places.map((place, index) => {
    const following = places[index + 1];
    const isCutOff = following !== undefined && !entries.slice(place, following).some(({ t }) => t === "wait");
    const [node, at] = [entries[place]?.["node"] as string, Number(entries[place]?.["at"])];
    return { node, at, next: isCutOff ? Number(entries[following]?.["at"]) : undefined };
  });
}

/** Returns true if another worker served the whole time, and no database was away. */
function isQuiet({ from, to }: Disturbance, dead: NodeProcess, { processes, disturbances }: Fates): boolean {
  const others = processes.filter((process) => process !== dead && process.setup.role === "worker");
  const hasOther = others.some((other) => {
    const isStopped = other.stops.some((stop) => stop.from < to && stop.to > from);
    return other.servesSince < from && other.killedAt > to && !isStopped;
  });
  return hasOther && !disturbances.some((each) => each.from < to && each.to > from - quietMs);
}
