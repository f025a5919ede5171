import { untilAborted } from "../../base/async/until-aborted.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Lease } from "../../sessions/lock/lease.ts";
import { recordQueuesOf } from "../../sessions/lock/session-queues.ts";
import type { QueuePosition } from "../../sessions/lock/waiter.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { RecordKey } from "../../sessions/storage/stored-record.ts";

/** A record, or several with one key prefix, that one call of this process at a time reads, changes and writes back. */
export type LockedRecord = { driver: StorageDriver; place: RecordKey; signal?: AbortSignal | undefined };

/** Waiting costs little here, and a refusal loses what the caller wanted to store. */
const policy = { onBusy: "enqueue", maxWaiting: 1000, waitMs: 60_000 } as const;

/** The number of times that another process may write first. */
const maxAttempts = 5;

/**
 * Runs the work when all earlier calls of this process for the record have finished, whatever object they came through.
 * The queue is not the session's: a run that holds the session may wait in it. An abandoned write keeps the lease until
 * it settles.
 */
export async function withRecordLock<Result>(
  { driver, place, signal }: LockedRecord,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  // No encoded key holds a space: the queues of sessions are named by their keys alone.
  const position = recordQueuesOf(driver).join(`${place.namespace} ${place.key}`, { ...policy, signal });
  const lease = await leaseOf(position);
  try {
    return await work(lease);
  } finally {
    lease.release();
  }
}

/**
 * Changes one record under its lock. `change` gets the stored value and returns the new one: `null` deletes it, `undefined`
 * leaves it. With a driver that has `compareAndSet`, a write of another process in between makes it run again.
 */
export async function changeRecord(
  record: LockedRecord,
  change: (stored: Json | null) => Promise<Json | null | undefined>,
): Promise<void> {
  const { driver, place, signal } = record;
  await withRecordLock(record, async (lease) => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const stored = await untilAborted(() => driver.get(place.namespace, place.key), signal);
      const next = await change(stored);
      if (next === undefined || (next === null && stored === null)) return;
      if (await lease.write(() => replace(record, stored, next), signal)) return;
    }
    throw new TroupeError("conflict", "Other processes keep changing this memory. Try again later.");
  });
}

async function leaseOf(position: QueuePosition): Promise<Lease> {
  try {
    return await position.granted;
  } catch (error) {
    if (!TroupeError.is(error) || error.code !== "conflict") throw error;
    const message = "Too many calls change this memory at once, or its storage does not answer. Try again later.";
    throw new TroupeError("conflict", message, { cause: error });
  }
}

async function replace({ driver, place }: LockedRecord, stored: Json | null, next: Json | null): Promise<boolean> {
  if (driver.compareAndSet !== undefined) {
    return await driver.compareAndSet(place.namespace, place.key, stored, next);
  }
  if (next === null) await driver.delete(place.namespace, place.key);
  else await driver.set(place.namespace, place.key, next);
  return true;
}
