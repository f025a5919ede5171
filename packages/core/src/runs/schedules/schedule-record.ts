import type { PublicError } from "../../base/errors/public-error.ts";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { SessionOwner } from "../../sessions/storage/session-owner.ts";
import { isArrayOf, readRecord } from "../../sessions/storage/stored-record.ts";
import type { RunRequest } from "../record/run-view.ts";
import type { ScheduleTimes } from "./schedule-times.ts";

/**
 * The run that a schedule begins at each of its times. It has no API keys, which would be stored as long as the
 * schedule.
 */
export type ScheduledRequest = Pick<RunRequest, "kind" | "name" | "input" | "options" | "owner" | "priority" | "note">;

/** A schedule of runs: one of `cron`, `everyMs` and `at`, and the request of its runs. */
export type RunSchedule = {
  /** A name that no other schedule of the service has, of at most 200 characters. */
  readonly id: string;
  /** A cron expression of five fields, or six with seconds first. */
  readonly cron?: string | undefined;
  /** The IANA time zone of `cron`. @default "UTC" */
  readonly timeZone?: string | undefined;
  /** Milliseconds between two times of the schedule, at least 1000, counted from its creation. */
  readonly everyMs?: number | undefined;
  /** The only time of the schedule, in epoch milliseconds. */
  readonly at?: number | undefined;
  /**
   * The treatment of a time at which the previous run is not over. `"skip"` begins no run. `"queue"` waits until the
   * previous run is over. `"cancel-running"` cancels the previous run first.
   * @default "skip"
   */
  readonly overlap?: "skip" | "queue" | "cancel-running" | undefined;
  /**
   * The treatment of times that are more than a minute late, because no process performed runs or the storage could not
   * be reached. `"skip"` begins no run for them, `"one"` begins one for the last of them, and `"all"` begins one for
   * each of the last `maxMissed`.
   * @default "one"
   */
  readonly missed?: "skip" | "one" | "all" | undefined;
  /** The maximum number of due times that wait for a run, from 1 to 100. @default 10 */
  readonly maxMissed?: number | undefined;
  /**
   * Delays each time by less than this number of milliseconds, at most an hour. The delay of one time is the same in
   * every process.
   * @default 0
   */
  readonly jitterMs?: number | undefined;
  readonly request: ScheduledRequest;
};

/** A new schedule, whose id is made by the service. */
export type NewRunSchedule = Omit<RunSchedule, "id"> & {
  /**
   * A random value of 1 to 255 characters. A second request of the owner with the same value makes no second schedule.
   * @default each request makes a schedule
   */
  readonly idempotencyKey?: string | undefined;
  /** The content of the request, which a second request with its key must repeat. @default the schedule */
  readonly fingerprint?: Json | undefined;
};

/**
 * A past time of a schedule, and its outcome. `begun`: its run is `runId`. `skipped`: the previous run was not over,
 * too many times waited, or the schedule was paused. `missed`: it was more than a minute late, and the option `missed`
 * begins no run for it. `failed`: no run could be accepted. `until` is the last of several times that were skipped or
 * missed together.
 */
export type ScheduleEvent = {
  readonly status: "begun" | "skipped" | "missed" | "failed";
  /** The time at which the schedule was due, in epoch milliseconds. */
  readonly at: number;
  readonly until?: number;
  /** The time at which this outcome was recorded, by the clock of the process that recorded it. */
  readonly settledAt: number;
  readonly runId?: string;
  readonly error?: PublicError;
};

/** The stored record of a schedule. Times are epoch milliseconds. */
export type ScheduleRecord = ScheduleTimes & {
  readonly v: 1;
  readonly id: string;
  readonly owner: SessionOwner;
  readonly overlap: "skip" | "queue" | "cancel-running";
  readonly missed: "skip" | "one" | "all";
  readonly maxMissed: number;
  readonly jitterMs: number;
  readonly request: Omit<ScheduledRequest, "owner">;
  readonly createdAt: number;
  /** The time from which the intervals of `everyMs` are counted. */
  readonly anchor: number;
  readonly isPaused: boolean;
  /** The next time that is not planned yet; `null` if the schedule is paused or has no more times. */
  readonly next: number | null;
  /** The due times whose runs have not begun yet, oldest first. */
  readonly pending: readonly number[];
  /** The id of the last run that the schedule has begun. */
  readonly lastRunId?: string;
  /** The last times with an outcome, newest first. */
  readonly history: readonly ScheduleEvent[];
  /** The time since which the schedule has no further times. */
  readonly endedAt?: number;
  /** The time at which a process must next handle the schedule; `null` if never. */
  readonly wakeAt: number | null;
  /** The random id of the schedule's entry, for the time `wakeAt`, in the list of due schedules. */
  readonly mark: string;
  /** The random id of the schedule's entry in the list of its owner's schedules, made when the schedule was created. */
  readonly creation: string;
  /** The hash of the request that made the schedule, if the request had an idempotency key. */
  readonly fingerprint?: string;
};

type Policies = Pick<ScheduleRecord, "overlap" | "missed" | "maxMissed" | "jitterMs">;

/** A schedule in the form that its owner may see. Times are epoch milliseconds. */
export type ScheduleView = Omit<RunSchedule, keyof Policies> &
  Policies & {
    readonly status: "active" | "paused" | "ended";
    readonly createdAt: number;
    /** The next time of the schedule, without its jitter. */
    readonly nextAt?: number;
    /** The times that are due and wait for a run. */
    readonly pending: readonly number[];
    /** The last 20 times with an outcome, newest first. */
    readonly history: readonly ScheduleEvent[];
  };

/** The number of past times that a schedule's record keeps in its history. */
const keptEvents = 20;

/** Returns a stored schedule after a check of its shape; `null` if it is missing. */
export function readSchedule(value: Json | null, key: string): ScheduleRecord | null {
  if (value === null) return null;
  return readRecord(value, { namespace: runNamespaces.schedules, key }, isSchedule);
}

function isSchedule(value: unknown): value is ScheduleRecord {
  return (
    isRecord(value) &&
    value["v"] === 1 &&
    typeof value["id"] === "string" &&
    typeof value["mark"] === "string" &&
    typeof value["creation"] === "string" &&
    isRecord(value["owner"]) &&
    isRecord(value["request"]) &&
    [value["next"], value["wakeAt"]].every((time) => time === null || typeof time === "number") &&
    isArrayOf(value["pending"], (time) => typeof time === "number") &&
    Array.isArray(value["history"])
  );
}

/** Returns the times of a schedule without its other fields. */
export function timesOf({ cron, timeZone, everyMs, at }: ScheduleRecord): ScheduleTimes {
  if (cron !== undefined) return { cron, timeZone };
  return everyMs === undefined ? { at } : { everyMs };
}

/** Returns the part of a schedule that its owner may see. */
export function toScheduleView(record: ScheduleRecord): ScheduleView {
  const { id, owner, overlap, missed, maxMissed, jitterMs, request, createdAt, next, pending, history } = record;
  const isOwned = Object.keys(owner).length > 0;
  return {
    id,
    ...timesOf(record),
    overlap,
    missed,
    maxMissed,
    jitterMs,
    request: { ...request, ...(isOwned && { owner }) },
    status: statusOf(record),
    createdAt,
    ...(next !== null && { nextAt: next }),
    pending,
    history,
  };
}

function statusOf({ endedAt, isPaused }: ScheduleRecord): ScheduleView["status"] {
  if (endedAt !== undefined) return "ended";
  return isPaused ? "paused" : "active";
}

/** Returns a schedule's record with further past times in its history. */
export function withEvents(record: ScheduleRecord, ...events: readonly ScheduleEvent[]): ScheduleRecord {
  return { ...record, history: [...events.toReversed(), ...record.history].slice(0, keptEvents) };
}
