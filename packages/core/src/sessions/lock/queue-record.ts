import type { Json } from "../storage/json.ts";
import { isCount, isArrayOf, readRecord, recordVersion } from "../storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { RecordKey } from "../storage/stored-record.ts";

/** One attempt at a durable run: the run's id, and the number of the attempt. */
export type RunAttempt = { readonly runId: string; readonly attempt: number };

/**
 * Position of one run in a stored queue: the id of its process, the number of its waiter within that process, and the
 * attempt if the run is durable.
 */
export type StoredPosition = { process: string; waiter: number; run?: RunAttempt };

/** A waiter of this process: its number, and its attempt if its run is durable. */
type DesiredWaiter = { readonly number: number; readonly run?: RunAttempt | undefined };

/**
 * Sign in the stored queue that a process still owns its positions. The process writes a new `beat` at least every
 * `leaseMs` milliseconds.
 */
export type Heartbeat = { process: string; beat: number; leaseMs: number };

/** The stored queue of a session, one record for all processes: positions, heartbeats, fencing token. */
export type QueueRecord = {
  v: 1;
  /** Fencing token of the lease. It grows whenever the first position of the queue changes. */
  token: number;
  /** Positions in order of arrival. The first holds the lease. */
  positions: StoredPosition[];
  /** Heartbeats of the processes that have positions. */
  processes: Heartbeat[];
};

/**
 * The desired state of one process in a stored queue, for `reconcile`: its positions, its heartbeat, and the processes
 * to remove.
 */
export type DesiredState = {
  /** The process's own heartbeat, written with every other change of the queue. */
  heartbeat: Heartbeat;
  /** The process's waiters, in order. */
  waiters: readonly DesiredWaiter[];
  /** Processes whose heartbeats expired: their positions are removed. */
  expired: ReadonlySet<string>;
  /** True to write the process's heartbeat even if the queue does not change otherwise. */
  isDue: boolean;
  /** True to delete the stored queue when it is empty. */
  forgetsQueue: boolean;
};

/**
 * Returns a stored queue after a check of its shape, or `null` if it is missing. Throws `storage_corrupt` if it is
 * damaged.
 */
export function readQueueRecord(value: Json | null, at: RecordKey): QueueRecord | null {
  return value === null ? null : readRecord(value, at, isQueueRecord);
}

/**
 * Returns the queue record that this process wants to store next: the same object if there is nothing to write, and
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

/** Returns true if two positions belong to the same process and waiter, or both are absent. */
export function isSamePosition(one: StoredPosition | undefined, other: StoredPosition | undefined): boolean {
  return one?.process === other?.process && one?.waiter === other?.waiter;
}

function areSamePositions(one: readonly StoredPosition[], other: readonly StoredPosition[]): boolean {
  return one.length === other.length && one.every((position, index) => isSamePosition(position, other[index]));
}

/**
 * Makes an empty queue record. A record is deleted with its session, and its tokens must never be reused, because a
 * stopped process may still hold one. New tokens therefore begin with the time in microseconds, which no session's
 * tokens overtake.
 */
function newQueueRecord(): QueueRecord {
  return { v: recordVersion, token: Date.now() * 1000, positions: [], processes: [] };
}

/**
 * Returns a queue's positions without waiters that gave up and without expired processes, and with new waiters at the
 * end. A later attempt at a durable run takes the position of an earlier attempt, whose process may have just ended. An
 * earlier attempt never takes the position of a later attempt.
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

/** Gives the positions of earlier attempts to the waiters of this process that have no position. */
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

/** Returns true if two attempts belong to the same run, and the first of them is the later attempt. */
export function isLater(one: RunAttempt | undefined, other: RunAttempt | undefined): boolean {
  return one !== undefined && one.runId === other?.runId && one.attempt > other.attempt;
}

/** Returns the last heartbeat of each process that has a position. */
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

/** Returns true if the heartbeat of another process changed between two states of the stored queue. */
export function hasMoved(before: QueueRecord | null | undefined, after: QueueRecord | null, own: string): boolean {
  const beats = new Map(before?.processes.map(({ process, beat }) => [process, beat]));
  const others = after?.processes.filter(({ process }) => process !== own && beats.has(process)) ?? [];
  return others.some(({ process, beat }) => beats.get(process) !== beat);
}

/** Returns the number of positions in a stored queue. */
export function queueLengthOf(record: QueueRecord | null): number {
  return record?.positions.length ?? 0;
}
