import { CronTimes } from "./cron-times.ts";

/** The times of a schedule: the times of a cron expression or of an interval, or a single time. */
export type ScheduleTimes =
  | { readonly cron: string; readonly timeZone: string; readonly everyMs?: never; readonly at?: never }
  | { readonly everyMs: number; readonly cron?: never; readonly timeZone?: never; readonly at?: never }
  | { readonly at: number; readonly cron?: never; readonly timeZone?: never; readonly everyMs?: never };

/** The times of a schedule, with the time from which intervals are counted. */
export type AnchoredTimes = ScheduleTimes & { readonly anchor: number };

/** Returns the first time of a schedule after a time, in epoch milliseconds; `null` if there is none. */
export function nextTime(times: AnchoredTimes, after: number): number | null {
  if (times.cron !== undefined) return cronTimes(times.cron, times.timeZone).next(after);
  if (times.at !== undefined) return times.at > after ? times.at : null;
  const { everyMs, anchor } = times;
  return anchor + everyMs * Math.max(1, Math.floor((after - anchor) / everyMs) + 1);
}

/** Returns the last times of a schedule from `from` through `to`, at most `count`, oldest first. */
export function lastTimes(times: AnchoredTimes, { from, to, count }: { from: number; to: number; count: number }) {
  if (times.everyMs !== undefined) {
    const last = nextTime(times, to) ?? to;
    const found = Array.from({ length: count }, (_, index) => last - times.everyMs * (count - index));
    return found.filter((time) => time >= from && time > times.anchor);
  }
  // Growing windows before `to` are searched, because years of times each second would take too long to list.
  for (let windowMs = 60_000; ; windowMs *= 4) {
    const start = Math.max(from, to - windowMs);
    const found = timesWithin(times, start, to);
    if (found.length >= count || start === from) return found.slice(-count);
  }
}

function timesWithin(times: AnchoredTimes, from: number, to: number): number[] {
  const found: number[] = [];
  for (let time = nextTime(times, from - 1); time !== null && time <= to; time = nextTime(times, time))
    found.push(time);
  return found;
}

/** Returns the delay of a time of a schedule: the same on all processes, below `jitterMs`. */
export function jitterOf({ id, jitterMs }: { id: string; jitterMs: number }, time: number): number {
  if (jitterMs === 0) return 0;
  const digest = process.getBuiltinModule("node:crypto").hash("sha256", `${id} ${time}`);
  return Number.parseInt(digest.slice(0, 12), 16) % jitterMs;
}

/** The number of parsed cron expressions that are cached. */
const mostKept = 200;
const kept = new Map<string, CronTimes>();

/** Returns the times of a cron expression. Throws `invalid_request` for a wrong expression or time zone. */
export function cronTimes(cron: string, timeZone: string): CronTimes {
  const key = `${timeZone} ${cron}`;
  const found = kept.get(key);
  if (found !== undefined) return found;
  const times = new CronTimes(cron, timeZone);
  if (kept.size >= mostKept) kept.clear();
  kept.set(key, times);
  return times;
}
