import { createId } from "../../base/util/create-id.ts";
import { clockOf } from "../lock/session-queues.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { isCount, readRecord, recordVersion } from "../storage/stored-record.ts";
import { encodeKey } from "../storage/encode-key.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { applyWrites, changeSession } from "./change-session.ts";
import { findSession, sessionNotFound } from "./create-session.ts";
import { indexWrites } from "./recent-index.ts";
import { keyPrefixOf, namespaces, sessionIdOf, sessionRef, turnKey, turnNumberOf } from "./session-keys.ts";
import type { SessionRef } from "./session-keys.ts";
import { newSessionRecord } from "./session-record.ts";
import type { SessionRecord } from "./session-record.ts";
import { scan } from "./scan.ts";
import { tombstoneOf } from "./turn-cut.ts";

/**
 * The suffix in the id of a hidden session that only holds turns for the forks of a deleted session. Clients cannot
 * use such ids.
 */
const pastMark = "#past";

/** An entry about a fork, stored under the session that it was made from: the number of the last shared turn. */
type ForkEntry = { v: 1; seq: number };

/** A storage, the session with forks, and a check that rejects if another process took over the session's lease. */
type Forked = { driver: StorageDriver; ref: SessionRef; confirm?: () => Promise<void> };

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
  const { key, sessionId } = await holderOf(driver, source, seq);
  const found = await findSession(driver, source);
  const made = newSessionRecord(source.owner, clockOf(driver));
  const title = found?.title === undefined ? {} : { title: found.title, titleBy: found.titleBy ?? "user" };
  const session: SessionRecord = { ...made, ...title, turns: seq, from: { sessionId, seq } };
  const entry = { namespace: namespaces.forks, key: forkKey(key, forkId), value: { v: recordVersion, seq } };
  // The numbers of shared turns count as used, so that the fork's own turns follow them.
  const base = {
    namespace: namespaces.turns,
    key: turnKey(ref.key, seq),
    value: tombstoneOf({ from: 1, through: seq }),
  };
  await applyWrites(driver, [entry, base, ...indexWrites(ref, null, session)]);
  const value = session as unknown as Json;
  if (driver.compareAndSet === undefined) await driver.set(namespaces.sessions, ref.key, value);
  else await driver.compareAndSet(namespaces.sessions, ref.key, null, value);
  if (await hasTurn(driver, sessionRef(source.owner, sessionId), seq)) return session;
  await applyWrites(driver, [
    { ...entry, value: null },
    { ...base, value: null },
    ...indexWrites(ref, session, null),
    { namespace: namespaces.sessions, key: ref.key, value: null },
  ]);
  throw sessionNotFound(source.sessionId);
}

/**
 * Preserves the turns that forks of a session share, from the turn `from` on, before they are removed from the
 * session: copies the shared turns to a hidden session, from which the forks then read.
 */
export async function keepSharedTurns(forked: Forked, session: SessionRecord, from: number): Promise<void> {
  const { driver, ref, confirm } = forked;
  const forks = (await readForks(driver, ref)).filter(({ seq }) => seq >= from);
  if (forks.length === 0) return;
  const through = Math.max(...forks.map(({ seq }) => seq));
  const past = sessionRef(ref.owner, createId() + pastMark);
  await confirm?.();
  await copyTurns(forked, past, through);
  const { title: _title, titleBy: _by, waiting: _waiting, cut: _cut, ...kept } = session;
  await driver.set(namespaces.sessions, past.key, { ...kept, turns: through } as unknown as Json);
  if (session.from !== undefined) {
    const holder = sessionRef(ref.owner, session.from.sessionId);
    const value = { v: recordVersion, seq: Math.min(session.from.seq, through) };
    await driver.set(namespaces.forks, forkKey(holder.key, past.sessionId), value);
  }
  for (const { forkId, seq } of forks) {
    await driver.set(namespaces.forks, forkKey(past.key, forkId), { v: recordVersion, seq });
    const change = (stored: SessionRecord): SessionRecord | null =>
      stored.from?.sessionId === ref.sessionId
        ? { ...stored, from: { sessionId: past.sessionId, seq: stored.from.seq } }
        : null;
    await changeSession(driver, sessionRef(ref.owner, forkId).key, { change });
    await driver.delete(namespaces.forks, forkKey(ref.key, forkId));
  }
}

/**
 * Removes the entry of a deleted fork under the session that it was made from. Returns that session if it is a hidden
 * session that only held turns for this fork, so that it can be removed too.
 */
export async function leaveSource(
  driver: StorageDriver,
  ref: SessionRef,
  { from }: SessionRecord,
): Promise<SessionRef | undefined> {
  if (from === undefined) return undefined;
  const source = sessionRef(ref.owner, from.sessionId);
  await driver.delete(namespaces.forks, forkKey(source.key, ref.sessionId));
  if (!from.sessionId.endsWith(pastMark)) return undefined;
  return (await readForks(driver, source)).length === 0 ? source : undefined;
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

/** Copies the turns of a session up to a number, and their data, to another session. */
async function copyTurns({ driver, ref, confirm }: Forked, to: SessionRef, through: number): Promise<void> {
  for (const namespace of [namespaces.turnParts, namespaces.turns]) {
    const pageSize = namespace === namespaces.turnParts ? 8 : 100;
    for await (const page of scan(driver, { namespace, prefix: keyPrefixOf(ref.key), pageSize })) {
      await confirm?.();
      for (const { key, value } of page.filter((entry) => numberIn(ref, entry.key) <= through)) {
        await driver.set(namespace, to.key + key.slice(ref.key.length), value);
      }
    }
  }
}

/** Returns the turn number in the key of a turn or of a piece of its data. */
function numberIn(ref: SessionRef, key: string): number {
  const prefix = keyPrefixOf(ref.key);
  const [number = ""] = key.slice(prefix.length).split("/", 1);
  return turnNumberOf(ref.key, prefix + number) ?? Infinity;
}

async function readForks(driver: StorageDriver, ref: SessionRef): Promise<{ forkId: string; seq: number }[]> {
  const found: { forkId: string; seq: number }[] = [];
  for await (const page of scan(driver, { namespace: namespaces.forks, prefix: keyPrefixOf(ref.key) })) {
    for (const { key, value } of page) {
      const { seq } = readRecord(value, { namespace: namespaces.forks, key }, isForkEntry);
      found.push({ forkId: sessionIdOf(key), seq });
    }
  }
  return found;
}

function isForkEntry(value: unknown): value is ForkEntry {
  return isRecord(value) && value["v"] === recordVersion && isCount(value["seq"]);
}

function forkKey(source: string, forkId: string): string {
  return keyPrefixOf(source) + encodeKey(forkId);
}
