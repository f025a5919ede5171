import { TroupeError } from "../../base/errors/troupe-error.ts";
import { createId } from "../../base/util/create-id.ts";
import type { Json } from "../storage/json.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { applyWrites, changeSession, contended } from "./change-session.ts";
import { findSession } from "./create-session.ts";
import { entryWrite, forkKey, readForks, readsFrom } from "./fork-entries.ts";
import type { Fork } from "./fork-entries.ts";
import { removeSession } from "./remove-session.ts";
import { scan } from "./scan.ts";
import { keyPrefixOf, namespaces, sessionRef, turnNumberOf } from "./session-keys.ts";
import type { SessionRef } from "./session-keys.ts";
import type { ForkPoint, SessionRecord } from "./session-record.ts";

/**
 * The suffix in the id of a hidden session that only holds turns for the forks of a deleted session. Clients cannot
 * use such ids.
 */
const pastMark = "#past";

/** The record of a session that may have lost its source. */
type Unshared = Omit<SessionRecord, "from"> & { from: ForkPoint | undefined };

/** Returns true if a session is hidden, and only holds turns for the forks of a deleted session. */
function isPast({ sessionId }: Pick<SessionRef, "sessionId">): boolean {
  return sessionId.endsWith(pastMark);
}

/** A storage, and the session with forks. */
type Forked = {
  driver: StorageDriver;
  ref: SessionRef;
  /** Rejects if another process took over the session's lease. */
  confirm?: () => Promise<void>;
  /** Finishes the deletion of another session, unless another process is about to. */
  finish: (other: SessionRef) => Promise<void>;
};

/**
 * Preserves the turns that forks of a session share, from the turn `from` on, before they are removed from the
 * session: copies the shared turns to a hidden session, from which the forks then read. The hidden session's id is
 * stored first, so that a repeated call finishes the work of a process that crashed.
 */
export async function keepSharedTurns(forked: Forked, session: SessionRecord, from: number): Promise<void> {
  const { driver, ref, confirm } = forked;
  const found = await readForks(driver, ref);
  const forks = found.forks.filter(({ seq }) => seq >= from);
  const begun = found.unfinished;
  const isBegun = begun !== undefined && !(await isFinished(driver, sessionRef(ref.owner, begun.forkId)));
  if (begun !== undefined && (!isBegun || forks.length === 0)) await finishPast(forked, begun);
  if (forks.length === 0) return;
  const past = isBegun ? begun : newPast(forks);
  await confirm?.();
  await applyWrites(driver, [entryWrite(ref, past, true)]);
  await makePast(forked, session, past);
  for (const fork of forks) await moveFork(forked, fork, past);
  await finishPast(forked, past);
}

/** Makes the id of a hidden session that has all turns which forks share. */
function newPast(forks: readonly Fork[]): Fork {
  return { forkId: createId() + pastMark, seq: Math.max(...forks.map(({ seq }) => seq)) };
}

/** Returns true if all forks were moved to a hidden session, after which other processes may remove it. */
async function isFinished(driver: StorageDriver, past: SessionRef): Promise<boolean> {
  const session = await findSession(driver, past);
  return session !== null && session.isUnfinished !== true;
}

/** Copies the turns to the hidden session, and writes its record. */
async function makePast(forked: Forked, session: SessionRecord, past: Fork): Promise<void> {
  await copyTurns(forked, sessionRef(forked.ref.owner, past.forkId), past.seq);
  let { from } = session;
  while (!(await isWritten(forked, past, { ...session, from }))) {
    const current = (await findSession(forked.driver, forked.ref))?.from;
    if (current?.sessionId === from?.sessionId) throw beingMoved(forked.ref.sessionId);
    from = current;
  }
}

/**
 * Writes the record of the hidden session. If the session is a fork itself, so is the hidden session. Returns false if
 * the source of both was deleted before that: its deletion gives the session another source.
 */
async function isWritten(forked: Forked, past: Fork, session: Unshared): Promise<boolean> {
  const { driver, ref, finish } = forked;
  const { title: _title, titleBy: _by, waiting: _waiting, cut: _cut, isDeleted: _isDeleted, from, ...kept } = session;
  const value = { ...kept, ...(from && { from }), turns: past.seq, isUnfinished: true };
  await driver.set(namespaces.sessions, sessionRef(ref.owner, past.forkId).key, value as unknown as Json);
  if (from === undefined) return true;
  const source = sessionRef(ref.owner, from.sessionId);
  const entry = entryWrite(source, { ...past, seq: Math.min(from.seq, past.seq) });
  await applyWrites(driver, [entry]);
  const found = (await noteFork(driver, source)) && (await findSession(driver, source));
  if (found && found.isDeleted !== true) return true;
  await driver.delete(entry.namespace, entry.key);
  if (found) await finish(source);
  return false;
}

/** Makes a fork read its shared turns from the hidden session, instead of from the session that it was made from. */
async function moveFork({ driver, ref }: Forked, { forkId, seq }: Fork, { forkId: pastId }: Fork): Promise<void> {
  await applyWrites(driver, [entryWrite(sessionRef(ref.owner, pastId), { forkId, seq })]);
  const change = (stored: SessionRecord): SessionRecord | null =>
    readsFrom(stored, ref) ? { ...stored, from: { ...stored.from, sessionId: pastId } } : null;
  await changeSession(driver, sessionRef(ref.owner, forkId).key, { change });
  await driver.delete(namespaces.forks, forkKey(ref, forkId));
}

/** Finishes a hidden session: removes it if no fork reads from it, and the entry that marks it as unfinished. */
async function finishPast({ driver, ref }: Forked, { forkId }: Fork): Promise<void> {
  const past = sessionRef(ref.owner, forkId);
  const change = ({ isUnfinished, ...stored }: SessionRecord) => (isUnfinished === true ? stored : null);
  const written = await changeSession(driver, past.key, { change });
  if (written === null && (await findSession(driver, past))?.isUnfinished === true) throw contended();
  await removeUnused(driver, past);
  await driver.delete(namespaces.forks, forkKey(ref, forkId));
}

/**
 * Removes the entry of a fork under the session that it was made from, and the hidden sessions that only held turns
 * for this fork. The fork itself is removed afterwards, so that an interrupted removal can be repeated.
 */
export async function leaveSource(driver: StorageDriver, ref: SessionRef): Promise<void> {
  const from = await markLeft(driver, ref);
  if (from === undefined) return;
  const source = sessionRef(ref.owner, from.sessionId);
  await driver.delete(namespaces.forks, forkKey(source, ref.sessionId));
  if (isPast(source)) await removeUnused(driver, source);
}

/** Notes in the record of a fork that it is left, after which no deletion gives it another source. */
async function markLeft(driver: StorageDriver, ref: SessionRef): Promise<ForkPoint | undefined> {
  const change = (stored: SessionRecord): SessionRecord | null => {
    const { from } = stored;
    return from === undefined || from.isLeft === true ? null : { ...stored, from: { ...from, isLeft: true } };
  };
  const written = await changeSession(driver, ref.key, { change });
  const from = (written?.after ?? (await findSession(driver, ref)))?.from;
  if (from !== undefined && from.isLeft !== true) throw contended();
  return from;
}

/**
 * Notes a fork, whose record is written, in the hidden session that it was made from. Returns false if the hidden
 * session is being removed. Returns true for other sessions, whose deletion moves their forks.
 */
export async function noteFork(driver: StorageDriver, holder: SessionRef): Promise<boolean> {
  if (!isPast(holder)) return true;
  const change = (stored: SessionRecord): SessionRecord | null =>
    stored.isDeleted === true ? null : { ...stored, forked: (stored.forked ?? 0) + 1 };
  return (await changeSession(driver, holder.key, { change })) !== null;
}

/**
 * Removes a finished hidden session that no fork reads from. A fork that is made meanwhile is either noted before the
 * hidden session is marked as deleted, so that the forks are read again, or finds the mark.
 */
async function removeUnused(driver: StorageDriver, past: SessionRef): Promise<void> {
  const session = await findSession(driver, past);
  if (session?.isUnfinished === true) return;
  if (session?.isDeleted !== true) {
    if ((await readForks(driver, past)).forks.length > 0) return;
    if (session !== null && !(await markUnused(driver, past, session))) return await removeUnused(driver, past);
  }
  await leaveSource(driver, past);
  await removeSession({ driver }, past, null);
}

async function markUnused(driver: StorageDriver, { key }: SessionRef, known: SessionRecord): Promise<boolean> {
  const change = (stored: SessionRecord): SessionRecord | null =>
    stored.forked === known.forked && stored.isUnfinished !== true ? { ...stored, isDeleted: true } : null;
  return (await changeSession(driver, key, { change, known })) !== null;
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

/** Makes the error for a session whose shared turns are moved, because the session that has them is deleted. */
export function beingMoved(sessionId: string): TroupeError {
  const name = JSON.stringify(sessionId);
  const message = `The turns that session ${name} shares with another session are being moved. Try again.`;
  return new TroupeError("conflict", message);
}
