import { TroupeError } from "../errors/troupe-error.ts";
import type { Lease } from "../lock/lease.ts";
import type { QueuePosition } from "../lock/waiter.ts";
import type { RecordKey } from "../storage/stored-record.ts";
import { localQueuesOf } from "../lock/session-queues.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";

/** Records that are read, changed and written back by one at a time. */
export type Turn = { driver: StorageDriver; place: RecordKey; signal?: AbortSignal | undefined };

/** Waiting costs little here, and a refusal costs the caller what it wanted to keep. */
const policy = { onBusy: "enqueue", maxWaiting: 1000, waitMs: 60_000 } as const;

/**
 * Works on the records once all who came before are done with them, whatever object they came through. It is a line of its
 * own: whoever has the session's turn may wait in it. A write that its caller gave up on holds the line until it settled.
 */
export async function inTurn<Result>(
  { driver, place, signal }: Turn,
  work: (lease: Lease) => Promise<Result>,
): Promise<Result> {
  // No encoded key holds a space: sessions stand in the same queue under their keys alone.
  const position = localQueuesOf(driver).join(`${place.namespace} ${place.key}`, { ...policy, signal });
  const lease = await grantedIn(position);
  try {
    return await work(lease);
  } finally {
    lease.release();
  }
}

async function grantedIn(position: QueuePosition): Promise<Lease> {
  try {
    return await position.granted;
  } catch (error) {
    if (!TroupeError.is(error) || error.code !== "conflict") throw error;
    const message = "Too many others change the same memory, or the storage hangs. Try again later.";
    throw new TroupeError("conflict", message, { cause: error });
  }
}
