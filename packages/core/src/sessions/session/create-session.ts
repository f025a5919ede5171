import { TroupeError } from "../../base/errors/troupe-error.ts";
import { clockOf } from "../lock/session-queues.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { applyWrites } from "./change-session.ts";
import { indexWrites } from "./recent-index.ts";
import { namespaces } from "./session-keys.ts";
import type { SessionRef } from "./session-keys.ts";
import { newSessionRecord, readSessionRecord } from "./session-record.ts";
import type { SessionRecord } from "./session-record.ts";

/**
 * Reads the stored record of a session, even if the deletion of the session is in progress. Returns `null` if this owner
 * has no such session: the key includes the tenant and user, so sessions of others are not found.
 */
export async function findSession(driver: StorageDriver, ref: SessionRef): Promise<SessionRecord | null> {
  const at = { namespace: namespaces.sessions, key: ref.key };
  const value = await driver.get(at.namespace, at.key);
  if (value === null) return null;
  return readSessionRecord(value, at);
}

/** Reads the stored record of a session. Returns `null` if its owner has no such session or has deleted it. */
export async function findLiveSession(driver: StorageDriver, ref: SessionRef): Promise<SessionRecord | null> {
  const session = await findSession(driver, ref);
  return session?.isDeleted === true ? null : session;
}

/** Reads the stored record of a session. Throws `not_found` if its owner has no such session or has deleted it. */
export async function requireSession(driver: StorageDriver, ref: SessionRef): Promise<SessionRecord> {
  const session = await findSession(driver, ref);
  if (session === null) throw sessionNotFound(ref.sessionId);
  if (session.isDeleted === true) throw sessionDeleted(ref.sessionId);
  return session;
}

/** Result of `createSession`: the session's record, and true if this call created it. */
export type CreatedSession = { session: SessionRecord; isNew: boolean };

/**
 * Creates the record of a session that its owner does not have yet, and its entry in the owner's list. If another
 * process created it first, returns that record. Throws `conflict` if that record was deleted meanwhile. Without
 * `compareAndSet`, an existing record is replaced.
 */
export async function createSession(
  driver: StorageDriver,
  ref: SessionRef,
  session = newSessionRecord(ref.owner, clockOf(driver)),
): Promise<CreatedSession> {
  const value = session as unknown as Json;
  const entry = indexWrites(ref, null, session);
  if (driver.compareAndSet === undefined) {
    await applyWrites(driver, [...entry, { namespace: namespaces.sessions, key: ref.key, value }]);
    return { session, isNew: true };
  }
  await applyWrites(driver, entry);
  const isNew = await driver.compareAndSet(namespaces.sessions, ref.key, null, value);
  if (isNew) return { session, isNew };
  const other = await findSession(driver, ref);
  if (other === null) throw new TroupeError("conflict", "The session was deleted while it was opened. Try again.");
  return { session: other, isNew };
}

/**
 * Makes the `not_found` error of a session that does not exist or belongs to another owner: the caller cannot
 * distinguish the two.
 */
export function sessionNotFound(sessionId: string): TroupeError {
  const name = JSON.stringify(sessionId);
  return new TroupeError("not_found", `Session ${name} not found. It may belong to another user: pass its userId.`);
}

/** Makes the `not_found` error of a session whose deletion has begun and is not finished. */
function sessionDeleted(sessionId: string): TroupeError {
  const name = JSON.stringify(sessionId);
  const message = `Session ${name} was deleted, but some of its data may remain. Delete it again to remove the rest.`;
  return new TroupeError("not_found", message);
}
