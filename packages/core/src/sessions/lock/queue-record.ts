import type { Json } from "../storage/json.ts";
import { isCount, isArrayOf, readRecord, recordVersion } from "../storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { RecordKey } from "../storage/stored-record.ts";

/** One attempt at a durable run: the run's id, and the number of the attempt. */
export type RunAttempt = { readonly runId: string; readonly attempt: number };

/**
 * Position of one run in a stored queue: the id of its process, the number of its waiter within that process, and the attempt
 * if the run is durable.
 */
export type StoredPosition = { process: string; waiter: number; run?: RunAttempt };

/** A waiter of this process: its number, and its attempt if its run is durable. */
type DesiredWaiter = { readonly number: number; readonly run?: RunAttempt | undefined };

/**
 * Sign in the stored queue that a process still owns its positions: it writes a new `beat` at least every `leaseMs`
 * milliseconds.
 */
export type Heartbeat = { process: string; beat: number; leaseMs: number };

/** The stored queue of a session, one record for all processes: positions, heartbeats, fencing token. */
export type QueueRecord = {
  v: 1;
  /** Fencing token: grows whenever the first position changes. */
  token: number;
  /** Positions, first come, first served. The first holds the lease. */
  positions: StoredPosition[];
  /** Heartbeats of the processes that have positions. */
  processes: Heartbeat[];
};

/**
 * Changes that one process wants in a stored queue, for `reconcile`: its positions, its heartbeat, and the processes to
 * remove.
 */
export type DesiredState = {
  /** Its own heartbeat, written whenever something else is. */
  heartbeat: Heartbeat;
  /** Its waiters, in their order. */
  waiters: readonly DesiredWaiter[];
  /** Processes whose heartbeats expired: their positions are removed. */
  expired: ReadonlySet<string>;
  /** Writes the heartbeat even when nothing else is written. */
  isDue: boolean;
  /** Deletes the record when its queue is empty. */
  forgetsQueue: boolean;
};

/**
 * Returns a stored queue after a check of its shape, or `null` for none; throws `storage_corrupt` when it is damaged.
 */
export function readQueueRecord(value: Json | null, at: RecordKey): QueueRecord | null {
  return value === null ? null : readRecord(value, at, isQueueRecord);
}

/**
 * Returns the queue record that this process wants to store next: the same object when there is nothing to write, and
 * `null` to delete the record.
 */
export function reconcile(stored: QueueRecord | null, desired: DesiredState): QueueRecord | null {
  const { token, positions: before, processes } = stored ?? newQueueRecord();
  const positions = desiredPositions(before, desired);
  if (areSamePositions(positions, before) && !desired.isDue) return stored;
  if (positions.length === 0 && desired.forgetsQueue) return null;
  return {
    v: recordVersion,
    token: isSamePosition(positions[0], before[0]) ? token : token + 1,
    positions,
    processes: heartbeatsOf(positions, [...processes, desired.heartbeat]),
  };
}

/** Tells if two positions are of the same process and waiter. Two absent ones are the same. */
export function isSamePosition(one: StoredPosition | undefined, other: StoredPosition | undefined): boolean {
  return one?.process === other?.process && one?.waiter === other?.waiter;
}

function areSamePositions(one: readonly StoredPosition[], other: readonly StoredPosition[]): boolean {
  return one.length === other.length && one.every((position, index) => isSamePosition(position, other[index]));
}

/**
 * A record is deleted with its session, and its tokens must not come again: a stopped process may still hold one. So they
 * begin with the time in microseconds, which no session's tokens overtake.
 */
function newQueueRecord(): QueueRecord {
  return { v: recordVersion, token: Date.now() * 1000, positions: [], processes: [] };
}

/**
 * Removes waiters that gave up and expired processes, and appends new waiters. A later attempt at a durable run has the place
 * of an earlier one, whose process may have ended a moment ago, and never the reverse.
 */
function desiredPositions(before: readonly StoredPosition[], desired: DesiredState): StoredPosition[] {
  const { heartbeat, waiters, expired } = desired;
  const { process } = heartbeat;
  const kept = takeOver(before, desired).filter((position) =>
    position.process === process
      ? waiters.some(({ number }) => number === position.waiter)
      : !expired.has(position.process),
  );
  const own = waitersOf(kept, process);
  const added = waiters.filter(({ number, run }) => !own.has(number) && !kept.some((other) => isLater(other.run, run)));
  return [...kept, ...added.map(({ number: waiter, run }) => ({ process, waiter, ...(run !== undefined && { run }) }))];
}

/** Gives the places of earlier attempts to the waiters of this process that have none. */
function takeOver(before: readonly StoredPosition[], { heartbeat, waiters }: DesiredState): StoredPosition[] {
  const { process } = heartbeat;
  const own = waitersOf(before, process);
  return before.map((position) => {
    if (position.run === undefined) return position;
    const later = waiters.find(({ number, run }) => !own.has(number) && isLater(run, position.run));
    if (later?.run === undefined) return position;
    own.add(later.number);
    return { process, waiter: later.number, run: later.run };
  });
}

function waitersOf(positions: readonly StoredPosition[], process: string): Set<number> {
  return new Set(positions.filter((position) => position.process === process).map(({ waiter }) => waiter));
}

/** Tells if two attempts are at the same run, and the first is the later one. */
export function isLater(one: RunAttempt | undefined, other: RunAttempt | undefined): boolean {
  return one !== undefined && one.runId === other?.runId && one.attempt > other.attempt;
}

/** The last heartbeat of each process that has a position. */
function heartbeatsOf(positions: readonly StoredPosition[], heartbeats: readonly Heartbeat[]): Heartbeat[] {
  const last = new Map(heartbeats.map((heartbeat) => [heartbeat.process, heartbeat]));
  return [...new Set(positions.map(({ process }) => process))].flatMap((process) => last.get(process) ?? []);
}

function isQueueRecord(value: unknown): value is QueueRecord {
  return (
    isRecord(value) &&
    value["v"] === recordVersion &&
    isCount(value["token"]) &&
    isArrayOf(value["positions"], isStoredPosition) &&
    isArrayOf(value["processes"], isHeartbeat)
  );
}

function isStoredPosition(value: unknown): value is StoredPosition {
  return (
    isRecord(value) &&
    typeof value["process"] === "string" &&
    isCount(value["waiter"]) &&
    (value["run"] === undefined || isRunAttempt(value["run"]))
  );
}

function isRunAttempt(value: unknown): value is RunAttempt {
  return isRecord(value) && typeof value["runId"] === "string" && isCount(value["attempt"]);
}

function isHeartbeat(value: unknown): value is Heartbeat {
  return isRecord(value) && typeof value["process"] === "string" && isCount(value["beat"]) && isCount(value["leaseMs"]);
}
