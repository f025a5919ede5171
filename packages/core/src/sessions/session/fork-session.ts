import { TroupeError } from "../../base/errors/troupe-error.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { clockOf } from "../lock/session-queues.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { applyWrites, nextRecord, withLocalLock } from "./change-session.ts";
import { findLiveSession, findSession, requireSession, sessionNotFound } from "./create-session.ts";
import { finishOther } from "./delete-session.ts";
import type { ListenedSessions } from "./delete-session.ts";
import { entryWrite } from "./fork-entries.ts";
import { beingMoved, noteFork } from "./fork-pasts.ts";
import { indexWrites } from "./recent-index.ts";
import { namespaces, sessionRef, turnKey } from "./session-keys.ts";
import type { SessionRef } from "./session-keys.ts";
import { newSessionRecord, sharedPoint } from "./session-record.ts";
import type { ForkPoint, SessionRecord } from "./session-record.ts";
import { tombstoneOf } from "./turn-cut.ts";

/** A fork to make: its id, and the number of the last turn that it shares with its source. */
type NewFork = { readonly seq: number; readonly forkId: string };

/**
 * Makes a session that shares the turns of another session up to a number, and returns its record. The number of
 * writes does not depend on the number of shared turns. If a session with the new id exists, its record is returned
 * unchanged. Throws `not_found` if the source session or its turn no longer exists, and `conflict` if the shared turns
 * are being moved, because the session that has them is deleted.
 */
export async function forkSession(
  sessions: ListenedSessions,
  source: SessionRef,
  { seq, forkId }: NewFork,
): Promise<SessionRecord> {
  const { driver } = sessions;
  const ref = sessionRef(source.owner, forkId);
  const existing = await findSession(driver, ref);
  if (existing?.isDeleted === true) throw stillDeleted(forkId);
  if (existing !== null) return existing;
  const holder = await findHolder(sessions, source, seq);
  const { sessionId } = holder;
  const session = await newFork(driver, source, { sessionId, seq });
  const entry = entryWrite(holder, { forkId, seq });
  // The numbers of shared turns count as used, so that the fork's own turns follow them.
  const value = tombstoneOf({ from: 1, through: seq });
  const base = { namespace: namespaces.turns, key: turnKey(ref.key, seq), value };
  await applyWrites(driver, [entry, base, ...indexWrites(ref, null, session)]);
  await writeNew(driver, ref, session);
  const isShared = (await noteFork(driver, holder)) && (await hasTurn(driver, holder, seq));
  if (isShared && (await driver.get(entry.namespace, entry.key)) !== null) return session;
  // The source was deleted meanwhile. Its deletion may have preserved the shared turns for the fork.
  const moved = await withdraw(driver, ref, sessionId);
  if (moved !== null) return moved;
  await applyWrites(driver, [{ ...entry, value: null }, { ...base, value: null }, ...indexWrites(ref, session, null)]);
  throw sessionId === source.sessionId ? sessionNotFound(sessionId) : beingMoved(source.sessionId);
}

/**
 * Removes the record of a fork that shares turns with a session, and returns `null`. Returns the record if the fork
 * reads from another session by now: a deletion has moved it there, and may do so until the record is removed.
 */
async function withdraw(driver: StorageDriver, ref: SessionRef, sessionId: string): Promise<SessionRecord | null> {
  const { key } = ref;
  for (;;) {
    const stored = await findSession(driver, ref);
    if (stored === null || stored.from?.sessionId !== sessionId) return stored;
    if (await removeRecord(driver, key, stored)) return null;
  }
}

async function removeRecord(driver: StorageDriver, key: string, stored: SessionRecord): Promise<boolean> {
  const { sessions: namespace } = namespaces;
  if (driver.compareAndSet !== undefined)
    return await driver.compareAndSet(namespace, key, stored as unknown as Json, null);
  return await withLocalLock(driver, key, async () => {
    const change = ({ from }: SessionRecord) => (from?.sessionId === stored.from?.sessionId ? stored : null);
    if ((await nextRecord(driver, key, change)) === null) return false;
    await driver.delete(namespace, key);
    return true;
  });
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
 * Returns the session whose own log contains a turn: the source of a new fork, or a session that the source was forked
 * from. If that session was deleted by a process that crashed before it had moved the turns, this call moves them.
 */
async function findHolder(sessions: ListenedSessions, source: SessionRef, seq: number): Promise<SessionRef> {
  const { driver } = sessions;
  const holder = await holderOf(driver, source, seq);
  const session = await requireSession(driver, source);
  const isShared = seq <= (sharedPoint(session)?.seq ?? 0);
  if (!isShared || (await findLiveSession(driver, holder)) !== null) return holder;
  await finishOther(sessions, holder);
  return await holderOf(driver, source, seq);
}

async function holderOf(driver: StorageDriver, ref: SessionRef, seq: number): Promise<SessionRef> {
  const session = await findSession(driver, ref);
  if (session === null) throw sessionNotFound(ref.sessionId);
  const from = sharedPoint(session);
  if (from === undefined || seq > from.seq) return ref;
  return await holderOf(driver, sessionRef(ref.owner, from.sessionId), seq);
}

async function hasTurn(driver: StorageDriver, ref: SessionRef, seq: number): Promise<boolean> {
  const session = await findSession(driver, ref);
  if (session === null || session.isDeleted === true || (session.cut !== undefined && seq >= session.cut.from))
    return false;
  const stored = await driver.get(namespaces.turns, turnKey(ref.key, seq));
  return isRecord(stored) && stored["cut"] === undefined;
}

/** Makes the error for a new fork whose id belongs to a session with remains of a deletion. */
function stillDeleted(forkId: string): TroupeError {
  const message = `Session ${JSON.stringify(forkId)} was deleted, but some of its data may remain. Delete it again to remove the rest, or choose another forkId.`;
  return new TroupeError("conflict", message);
}
