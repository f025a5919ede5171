import { recordQueuesOf } from "../lock/session-queues.ts";
import type { Json } from "../storage/json.ts";
import { canTransact } from "../storage/shared-driver.ts";
import type { StorageDriver, Write } from "../storage/storage-driver.ts";
import { namespaces } from "./session-keys.ts";
import { readSessionRecord } from "./session-record.ts";
import type { SessionRecord } from "./session-record.ts";

/** Change of a session's record that was written: the record before and after. */
export type RecordChange = { before: SessionRecord; after: SessionRecord };

/** Returns the record to write in place of the stored one, or `null` to leave that. */
export type ChangeRecord = (stored: SessionRecord) => SessionRecord | null;

/** Other writers of the record are few: a run, a rename, a title. */
const maxAttempts = 5;

/** Waiting for another call of this process to read and write the record. */
const policy = { onBusy: "enqueue", maxWaiting: 1000, waitMs: 60_000 } as const;

/**
 * Changes the record of a session, which other calls and processes may change at the same time. Returns the change, or
 * `null` when nothing was written: there is no session, `change` refused, or other writers kept coming first.
 *
 * @param known the record as it probably is, which spares a read
 */
export async function changeSession(
  driver: StorageDriver,
  key: string,
  { change, known }: { change: ChangeRecord; known?: SessionRecord },
): Promise<RecordChange | null> {
  if (driver.compareAndSet === undefined) {
    return await withLocalLock(driver, key, async () => {
      const next = await nextRecord(driver, key, change);
      if (next !== null) await driver.set(namespaces.sessions, key, next.after as unknown as Json);
      return next;
    });
  }
  let next = known === undefined ? await nextRecord(driver, key, change) : changeOf(known, change);
  for (let attempt = 0; attempt < maxAttempts && next !== null; attempt++) {
    const { before, after }: { before: unknown; after: unknown } = next;
    if (await driver.compareAndSet(namespaces.sessions, key, before as Json, after as Json)) return next;
    next = await nextRecord(driver, key, change);
  }
  return null;
}

/** Runs the work when no other call of this process changes the record, for drivers without `compareAndSet`. */
export async function withLocalLock<Result>(
  driver: StorageDriver,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  // No encoded key holds a space: the queues of sessions are named by their keys alone.
  const lease = await recordQueuesOf(driver).join(`${namespaces.sessions} ${key}`, policy).granted;
  try {
    return await work();
  } finally {
    lease.release();
  }
}

/** Reads the stored record and returns its change, or `null` when there is none. */
export async function nextRecord(
  driver: StorageDriver,
  key: string,
  change: ChangeRecord,
): Promise<RecordChange | null> {
  const stored = await driver.get(namespaces.sessions, key);
  return stored === null ? null : changeOf(readSessionRecord(stored, { namespace: namespaces.sessions, key }), change);
}

/** Applies writes, in one step where the driver has `transaction`, else one after the other. */
export async function applyWrites(driver: StorageDriver, writes: readonly Write[]): Promise<void> {
  if (writes.length > 1 && canTransact(driver)) return await driver.transaction(writes);
  for (const { namespace, key, value } of writes) {
    if (value === null) await driver.delete(namespace, key);
    else await driver.set(namespace, key, value);
  }
}

function changeOf(before: SessionRecord, change: ChangeRecord): RecordChange | null {
  const after = change(before);
  return after === null ? null : { before, after };
}
