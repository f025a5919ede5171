import { TroupeError } from "../../base/errors/troupe-error.ts";
import { recordQueuesOf } from "../lock/session-queues.ts";
import type { Json } from "../storage/json.ts";
import { canTransact } from "../storage/shared-driver.ts";
import type { StorageDriver, Write } from "../storage/storage-driver.ts";
import { namespaces } from "./session-keys.ts";
import { readSessionRecord } from "./session-record.ts";
import type { SessionRecord } from "./session-record.ts";

/** A written change of a session's record: the record before and after. */
export type RecordChange = { before: SessionRecord; after: SessionRecord };

/** Returns the record to write instead of a session's stored record, or `null` to leave it unchanged. */
export type ChangeRecord = (stored: SessionRecord) => SessionRecord | null;

/**
 * The maximum number of attempts to change a session's record. Few others write it: a run, a renaming, a generated
 * title.
 */
const maxAttempts = 5;

/** Policy for waiting until another call of this process has read and written a session's record. */
const policy = { onBusy: "enqueue", maxWaiting: 1000, waitMs: 60_000 } as const;

/**
 * Changes the record of a session, safely with concurrent changes; without `compareAndSet`, only with concurrent
 * changes of this process. Returns the change. Returns `null` if nothing was written, because the session is missing,
 * `change` returned `null`, or other writers changed the record first each time.
 *
 * @param known the record as it probably is, which saves a read if the driver has `compareAndSet`
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

/** Makes the error for a session's record that could not be changed, because other writers kept coming first. */
export function contended(): TroupeError {
  return new TroupeError("storage_unavailable", "Other processes keep changing this session. Try again.");
}

/**
 * Performs work on a session's record while no other call of this process works on it, for drivers without
 * `compareAndSet`.
 */
export async function withLocalLock<Result>(
  driver: StorageDriver,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  // No encoded key contains a space, so the names of these queues differ from the names of session queues, which are
  // plain keys.
  const lease = await recordQueuesOf(driver).join(`${namespaces.sessions} ${key}`, policy).granted;
  try {
    return await work();
  } finally {
    lease.release();
  }
}

/**
 * Reads a session's stored record and applies a change to it. Returns `null` if the record is missing or stays
 * unchanged.
 */
export async function nextRecord(
  driver: StorageDriver,
  key: string,
  change: ChangeRecord,
): Promise<RecordChange | null> {
  const stored = await driver.get(namespaces.sessions, key);
  return stored === null ? null : changeOf(readSessionRecord(stored, { namespace: namespaces.sessions, key }), change);
}

/** Applies writes, in one step if the driver supports transactions, otherwise one after the other. */
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
