import { untilAborted } from "../../base/async/until-aborted.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Lease } from "../../sessions/lock/lease.ts";
import { recordQueuesOf } from "../../sessions/lock/session-queues.ts";
import type { QueuePosition } from "../../sessions/lock/waiter.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { RecordKey } from "../../sessions/storage/stored-record.ts";

/**
 * A record, or several records with one key prefix, that only one call of this process at a time reads, changes and
 * writes back.
 */
export type LockedRecord = { driver: StorageDriver; place: RecordKey; signal?: AbortSignal | undefined };

/**
 * The busy policy of the queue for one record of a memory. It allows long waits, because waiting is cheap and a
 * rejection would lose the data that the caller wanted to store.
 */
const policy = { onBusy: "enqueue", maxWaiting: 1000, waitMs: 60_000 } as const;

/** The maximum number of attempts at a change if other processes write in between. */
const maxAttempts = 5;

/**
 * Performs the work after all earlier calls of this process for the record, made through any memory object. This queue
 * is separate from the session's queue: a run that holds the session may wait in it. A write whose caller no longer
 * waits keeps its place in the queue until the write has ended.
 */
export async function withRecordLock<Result>(
  { driver, place, signal }: LockedRecord,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  // No encoded key contains a space, so the names of these queues differ from the names of session queues, which are
  // plain keys.
  const position = recordQueuesOf(driver).join(`${place.namespace} ${place.key}`, { ...policy, signal });
  const lease = await leaseOf(position);
  try {
    return await work(lease);
  } finally {
    lease.release();
  }
}

/**
 * Changes one record under its lock. `change` receives the stored value and returns the new value; `null` deletes the
 * record, `undefined` leaves it unchanged. With a driver that has `compareAndSet`, `change` runs again if another
 * process wrote in between.
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
