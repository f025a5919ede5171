import { createId } from "../../base/util/create-id.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { applyWrites, changeSession } from "./change-session.ts";
import { findSession } from "./create-session.ts";
import { entryWrite, forkKey, readForks } from "./fork-entries.ts";
import type { Fork, Forks } from "./fork-entries.ts";
import { removeSession } from "./remove-session.ts";
import { scan } from "./scan.ts";
import { keyPrefixOf, namespaces, sessionRef, turnNumberOf } from "./session-keys.ts";
import type { SessionRef } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";

/**
 * The suffix in the id of a hidden session that only holds turns for the forks of a deleted session. Clients cannot
 * use such ids.
 */
const pastMark = "#past";

/** A storage, the session that has forks, and a check that rejects if another process took over the session's lease. */
type Forked = { driver: StorageDriver; ref: SessionRef; confirm?: () => Promise<void> };

/**
 * Preserves the turns that forks of a session share, from the turn `from` on, before they are removed from the
 * session: copies the shared turns to a hidden session, from which the forks then read. The hidden session's id is
 * stored first, so that a repeated call finishes the work of a process that crashed.
 */
export async function keepSharedTurns(forked: Forked, session: SessionRecord, from: number): Promise<void> {
  const { driver, ref, confirm } = forked;
  const found = await readForks(driver, ref);
  const forks = found.forks.filter(({ seq }) => seq >= from);
  if (forks.length > 0) {
    const past = pastFor(found, forks);
    await confirm?.();
    await applyWrites(driver, [entryWrite(ref, past, true)]);
    await makePast(forked, session, past);
    for (const fork of forks) await moveFork(forked, fork, past);
    await finishPast(forked, past);
  } else if (found.unfinished !== undefined) await finishPast(forked, found.unfinished);
}

/**
 * Returns the hidden session for forks: an unfinished one if it exists, otherwise a new one with all turns that the
 * forks share.
 */
function pastFor({ unfinished }: Forks, forks: readonly Fork[]): Fork {
  return unfinished ?? { forkId: createId() + pastMark, seq: Math.max(...forks.map(({ seq }) => seq)) };
}

async function makePast(forked: Forked, session: SessionRecord, { forkId, seq }: Fork): Promise<void> {
  const { driver, ref } = forked;
  const past = sessionRef(ref.owner, forkId);
  await copyTurns(forked, past, seq);
  const { title: _title, titleBy: _by, waiting: _waiting, cut: _cut, ...kept } = session;
  await driver.set(namespaces.sessions, past.key, { ...kept, turns: seq } as unknown as Json);
  if (session.from === undefined) return;
  const holder = sessionRef(ref.owner, session.from.sessionId);
  await applyWrites(driver, [entryWrite(holder, { forkId, seq: Math.min(session.from.seq, seq) })]);
}

/** Makes a fork read its shared turns from the hidden session, instead of from the session that it was made from. */
async function moveFork({ driver, ref }: Forked, { forkId, seq }: Fork, { forkId: pastId }: Fork): Promise<void> {
  await applyWrites(driver, [entryWrite(sessionRef(ref.owner, pastId), { forkId, seq })]);
  const change = (stored: SessionRecord): SessionRecord | null =>
    stored.from?.sessionId === ref.sessionId ? { ...stored, from: { sessionId: pastId, seq: stored.from.seq } } : null;
  await changeSession(driver, sessionRef(ref.owner, forkId).key, { change });
  await driver.delete(namespaces.forks, forkKey(ref, forkId));
}

/** Removes the hidden session if no fork reads from it, and the entry that marks it as unfinished. */
async function finishPast({ driver, ref }: Forked, { forkId }: Fork): Promise<void> {
  const past = sessionRef(ref.owner, forkId);
  if ((await readForks(driver, past)).forks.length === 0) await removePast(driver, past);
  await driver.delete(namespaces.forks, forkKey(ref, forkId));
}

/**
 * Removes the entry of a fork under the session that it was made from, and the hidden sessions that only held turns
 * for this fork. The fork itself is removed afterwards, so that an interrupted removal can be repeated.
 */
export async function leaveSource(driver: StorageDriver, ref: SessionRef, { from }: SessionRecord): Promise<void> {
  if (from === undefined) return;
  const source = sessionRef(ref.owner, from.sessionId);
  await driver.delete(namespaces.forks, forkKey(source, ref.sessionId));
  if (!from.sessionId.endsWith(pastMark)) return;
  if ((await readForks(driver, source)).forks.length === 0) await removePast(driver, source);
}

async function removePast(driver: StorageDriver, past: SessionRef): Promise<void> {
  const session = await findSession(driver, past);
  if (session !== null) await leaveSource(driver, past, session);
  await removeSession({ driver }, past, null);
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
