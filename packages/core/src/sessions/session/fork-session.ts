import { isRecord } from "../../base/util/is-record.ts";
import { clockOf } from "../lock/session-queues.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { applyWrites } from "./change-session.ts";
import { findSession, sessionNotFound } from "./create-session.ts";
import { entryWrite } from "./fork-entries.ts";
import { indexWrites } from "./recent-index.ts";
import { namespaces, sessionRef, turnKey } from "./session-keys.ts";
import type { SessionRef } from "./session-keys.ts";
import { newSessionRecord } from "./session-record.ts";
import type { ForkPoint, SessionRecord } from "./session-record.ts";
import { tombstoneOf } from "./turn-cut.ts";

/**
 * Makes a session that shares the turns of another session up to a number, and returns its record. The number of
 * writes does not depend on the number of shared turns. If a session with the new id exists, its record is returned
 * unchanged. Throws `not_found` if the source session or its turn no longer exists.
 */
export async function forkSession(
  driver: StorageDriver,
  source: SessionRef,
  { seq, forkId }: { seq: number; forkId: string },
): Promise<SessionRecord> {
  const ref = sessionRef(source.owner, forkId);
  const existing = await findSession(driver, ref);
  if (existing !== null) return existing;
  const { sessionId } = await holderOf(driver, source, seq);
  const session = await newFork(driver, source, { sessionId, seq });
  const entry = entryWrite(sessionRef(source.owner, sessionId), { forkId, seq });
  // The numbers of shared turns count as used, so that the fork's own turns follow them.
  const value = tombstoneOf({ from: 1, through: seq });
  const base = { namespace: namespaces.turns, key: turnKey(ref.key, seq), value };
  await applyWrites(driver, [entry, base, ...indexWrites(ref, null, session)]);
  await writeNew(driver, ref, session);
  const isShared = await hasTurn(driver, sessionRef(source.owner, sessionId), seq);
  if (isShared && (await driver.get(entry.namespace, entry.key)) !== null) return session;
  // The source was deleted in the meantime. Its deletion may have preserved the shared turns for the fork.
  const moved = await findSession(driver, ref);
  if (moved !== null && moved.from?.sessionId !== sessionId) return moved;
  await applyWrites(driver, [
    { ...entry, value: null },
    { ...base, value: null },
    ...indexWrites(ref, session, null),
    { namespace: namespaces.sessions, key: ref.key, value: null },
  ]);
  throw sessionNotFound(source.sessionId);
}

/** Makes the record of a fork, with the title of the session that it is made from. */
async function newFork(driver: StorageDriver, source: SessionRef, from: ForkPoint): Promise<SessionRecord> {
  const found = await findSession(driver, source);
  const title = found?.title === undefined ? {} : { title: found.title, titleBy: found.titleBy ?? "user" };
  return { ...newSessionRecord(source.owner, clockOf(driver)), ...title, turns: from.seq, from };
}

async function writeNew(driver: StorageDriver, { key }: SessionRef, session: SessionRecord): Promise<void> {
  const value = session as unknown as Json;
  if (driver.compareAndSet === undefined) await driver.set(namespaces.sessions, key, value);
  else await driver.compareAndSet(namespaces.sessions, key, null, value);
}

/**
 * Returns the session whose own log contains the turn of this number: the given session, or one that it was forked
 * from.
 */
async function holderOf(driver: StorageDriver, ref: SessionRef, seq: number): Promise<SessionRef> {
  const session = await findSession(driver, ref);
  if (session === null) throw sessionNotFound(ref.sessionId);
  if (session.from === undefined || seq > session.from.seq) return ref;
  return await holderOf(driver, sessionRef(ref.owner, session.from.sessionId), seq);
}

async function hasTurn(driver: StorageDriver, ref: SessionRef, seq: number): Promise<boolean> {
  const session = await findSession(driver, ref);
  if (session === null || (session.cut !== undefined && seq >= session.cut.from)) return false;
  const stored = await driver.get(namespaces.turns, turnKey(ref.key, seq));
  return isRecord(stored) && stored["cut"] === undefined;
}
