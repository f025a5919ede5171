import { withEvents } from "./schedule-record.ts";
import type { ScheduleEvent, ScheduleRecord } from "./schedule-record.ts";
import { jitterOf, lastTimes, nextTime } from "./schedule-times.ts";

/** Milliseconds after which a due time of a schedule is late: its option `missed` then decides if a run begins. */
const lateMs = 60_000;
/**
 * The largest number of due times that are planned together: the 60 that a minute can have, and missed times before
 * them.
 */
const mostTogether = 200;

/** The outcome of a due time of a schedule, such as `begun` with the id of its run. */
export type Outcome = Pick<ScheduleEvent, "status" | "runId" | "error">;

/**
 * Plans the due times of a schedule: times that need a run become pending, and others are recorded as missed, or as
 * skipped if too many are pending. Returns `undefined` if no time is due. Each time is planned once, because the field
 * `next` of the schedule is a later time afterwards.
 */
export function planDue(record: ScheduleRecord, now: number): ScheduleRecord | undefined {
  const { next } = record;
  if (next === null || next + jitterOf(record, next) > now) return undefined;
  const due = dueTimes(record, next, now);
  const following = nextTime(record, due.at(-1) ?? next);
  const planned = chooseTimes(record, due, now);
  const pending = [...record.pending, ...planned].slice(0, record.maxMissed);
  const missed = due.filter((time) => !planned.includes(time));
  const events = [
    // Only the newest `mostTogether` due times are used. Earlier due times are recorded as missed.
    eventOf("missed", due[0] === next ? missed : [next, timeBefore(record, due[0], next), ...missed], now),
    eventOf(
      "skipped",
      planned.filter((time) => !pending.includes(time)),
      now,
    ),
  ];
  return withWake(withEvents({ ...record, next: following, pending }, ...events.flat()), now);
}

/** Makes one event in the history of a schedule for several due times; no event if there are no times. */
function eventOf(status: "missed" | "skipped", times: readonly number[], settledAt: number): ScheduleEvent[] {
  const [at] = times;
  const until = times.at(-1);
  if (at === undefined) return [];
  return [{ status, at, ...(until !== undefined && until > at && { until }), settledAt }];
}

/** Returns the newest due times of a schedule, oldest first. The delay by jitter is not included. */
function dueTimes(record: ScheduleRecord, next: number, now: number): number[] {
  const found = lastTimes(record, { from: next, to: now, count: mostTogether });
  const end = found.findLastIndex((time) => time + jitterOf(record, time) <= now);
  return end < 0 ? [next] : found.slice(0, end + 1);
}

function timeBefore(record: ScheduleRecord, time = Infinity, from = 0): number {
  return lastTimes(record, { from, to: time - 1, count: 1 })[0] ?? from;
}

/** Returns the due times that need a run, by the schedule's option `missed`. */
function chooseTimes(record: ScheduleRecord, due: readonly number[], now: number): readonly number[] {
  const isLate = (time: number): boolean => now - time - jitterOf(record, time) > lateMs;
  const inTime = due.filter((time) => !isLate(time));
  const late = due.filter(isLate);
  if (record.missed === "all") return due.slice(-record.maxMissed);
  if (record.missed === "one" && inTime.length === 0) return late.slice(-1);
  return inTime;
}

/**
 * Returns a schedule's record with the outcome of a pending time in its history. A time that another process has
 * recorded as skipped, but whose run has begun, becomes `begun`. Returns `undefined` if there is nothing to change.
 */
export function settleTime(
  record: ScheduleRecord,
  { at, now, outcome }: { at: number; now: number; outcome: Outcome },
): ScheduleRecord | undefined {
  const { pending, history } = record;
  const isSkipped = history.some((event) => event.at === at && event.status === "skipped");
  if (!pending.includes(at) && !(isSkipped && outcome.status === "begun")) return undefined;
  const rest: ScheduleRecord = {
    ...record,
    ...(outcome.runId !== undefined && { lastRunId: outcome.runId }),
    pending: pending.filter((time) => time !== at),
    history: history.filter((event) => event.at !== at || event.status === "missed"),
  };
  return withWake(withEvents(rest, { ...outcome, at, settledAt: now }), now);
}

/** Returns a schedule's record after it was paused or resumed. Pausing records the pending times as skipped. */
export function setPaused(record: ScheduleRecord, isPaused: boolean, now: number): ScheduleRecord {
  if (record.isPaused === isPaused || record.endedAt !== undefined) return record;
  if (!isPaused) return withWake(restart({ ...record, isPaused }, now), now);
  const events = record.pending.map((at): ScheduleEvent => ({ status: "skipped", at, settledAt: now }));
  return withWake(withEvents({ ...record, isPaused, next: null, pending: [] }, ...events), now);
}

/**
 * Returns a schedule's record whose `next` is its first time after `now`. The time of a schedule with `at` may also be
 * past: it is then due at once, unless it is pending or has an outcome.
 */
export function restart(record: ScheduleRecord, now: number): ScheduleRecord {
  const { endedAt: _, ...open } = record;
  if (record.isPaused) return { ...open, next: null };
  if (record.at === undefined) return { ...open, next: nextTime(record, now) };
  const { at, pending, history } = record;
  const isOver = pending.includes(at) || history.some((event) => event.at === at);
  return { ...open, next: isOver ? null : at };
}

/**
 * Returns a schedule's record with `wakeAt`, the time at which a process must next handle it. A schedule without
 * further times is marked as ended. While times are pending, `wakeAt` stays in the past, so that processes handle the
 * schedule again and again.
 */
export function withWake(record: ScheduleRecord, now: number): ScheduleRecord {
  const { next, pending, isPaused, endedAt } = record;
  const isOver = next === null && pending.length === 0 && !isPaused;
  const ended = isOver && endedAt === undefined ? { ...record, endedAt: now } : record;
  if (pending.length > 0) return { ...ended, wakeAt: record.wakeAt ?? now };
  return { ...ended, wakeAt: next === null ? null : next + jitterOf(record, next) };
}
