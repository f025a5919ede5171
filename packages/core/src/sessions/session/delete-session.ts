import { readProperty } from "../../base/util/read-property.ts";
import type { BusyPolicy } from "../lock/busy-policy.ts";
import type { Lease } from "../lock/lease.ts";
import { toUserOwner } from "../storage/session-owner.ts";
import type { UserOwner, UserScope } from "../storage/session-owner.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { acquireSession } from "./acquire-session.ts";
import type { SessionPlace } from "./acquire-session.ts";
import { changeSession, contended } from "./change-session.ts";
import { findSession, sessionNotFound } from "./create-session.ts";
import { cutTurns, finishCut } from "./cut-turns.ts";
import { keepSharedTurns, leaveSource } from "./fork-pasts.ts";
import { ownSessions } from "./list-sessions.ts";
import { PartStore } from "./part-store.ts";
import { removeMemory, removeSession, removeUserRecords } from "./remove-session.ts";
import { sessionIdOf } from "./session-keys.ts";
import type { SessionRef } from "./session-keys.ts";
import type { SessionListener } from "./session-listener.ts";
import type { SessionRecord } from "./session-record.ts";
import { openTurnLog } from "./turn-log.ts";

/** The sessions of a storage, and the listeners that remove data about sessions from other stores. */
export type ListenedSessions = SessionPlace & { readonly listeners: readonly SessionListener[] };

/** The maximum number of remaining turns with which a memory is built again after some turns were deleted. */
const mostReloaded = 200;

/** The maximum number of attempts to mark a session as deleted. */
const maxAttempts = 5;

/** Deletes a session with its turns, its memory and its members' sessions, after earlier runs are done. */
export async function deleteSession(
  sessions: ListenedSessions,
  ref: SessionRef,
  { signal, onBusy }: { signal?: AbortSignal | undefined; onBusy?: BusyPolicy["onBusy"] } = {},
): Promise<void> {
  const { lease, session } = await acquireSession(sessions, ref, { signal, onBusy });
  try {
    if (session === null) throw forgotten(lease, ref);
    await lease.write(async () => {
      await removeWhole(sessions, { lease, ref, session });
      lease.forget();
    }, signal);
  } finally {
    lease.release();
  }
}

/**
 * Deletes the turns of a session from a given number on, and the memories of these turns. Rejects with `conflict`
 * during a run.
 */
export async function deleteTurns(
  sessions: ListenedSessions,
  { ref, from }: { ref: SessionRef; from: number },
  signal?: AbortSignal,
): Promise<void> {
  const { lease, session } = await acquireSession(sessions, ref, { signal, onBusy: "reject" });
  try {
    if (session === null) throw forgotten(lease, ref);
    await lease.write(async () => {
      const live = await finishDeletion(sessions, { lease, ref, session });
      if (live === null) throw forgotten(lease, ref);
      const whole = await finishStoredCut(sessions, { lease, ref, session: live });
      const cut = await cutTurns({ driver: sessions.driver, ref, lease }, { from, session: whole });
      if (cut !== null) await finishStoredCut(sessions, { lease, ref, session: cut });
    }, signal);
  } finally {
    lease.release();
  }
}

/**
 * Deletes a user's sessions, memory and facts. After a rejection, some of them may remain: call it again.
 *
 * A session that is made meanwhile, such as a fork of a session that is not marked as deleted yet, is deleted too: the
 * sessions are listed until none is found.
 */
export async function deleteUser(sessions: ListenedSessions, userId: string, scope: UserScope): Promise<void> {
  const owner = toUserOwner(userId, scope);
  await deleteAll(sessions, owner);
  do {
    await removeUserRecords(sessions.driver, owner);
  } while (await deleteAll(sessions, owner));
  for (const listener of sessions.listeners) await listener.forgetUser?.(owner);
}

/** Deletes all sessions of a user. Returns false if there are none. */
async function deleteAll(sessions: ListenedSessions, owner: UserOwner): Promise<boolean> {
  const { driver, queues, policy } = sessions;
  let hasFound = false;
  for await (const { key } of ownSessions(driver, owner)) {
    hasFound = true;
    const lease = await queues.join(key, policy).granted;
    const ref = { key, owner, sessionId: sessionIdOf(key) };
    try {
      await lease.write(async () => {
        await removeOfUser(sessions, { lease, ref });
        lease.forget();
      });
    } finally {
      lease.release();
    }
  }
  return hasFound;
}

/** A session under its lease. */
export type Held<Stored = SessionRecord> = { lease: Lease; ref: SessionRef; session: Stored };

/** Removes the remains of a session's deleted turns, in the storage and in memories. */
export async function finishStoredCut(
  sessions: ListenedSessions,
  { lease, ref, session }: Held,
): Promise<SessionRecord> {
  if (session.cut === undefined) return session;
  const { driver, listeners } = sessions;
  await keepSharedTurns(
    { driver, ref, confirm: () => lease.confirm(), finish: (other) => finishOther(sessions, other) },
    session,
    session.cut.from,
  );
  const parts = new PartStore(driver, ref.key);
  const load = async () => await parts.fillTurns(await openTurnLog(driver, ref).newest(mostReloaded, session));
  await removeMemory(driver, ref.key);
  for (const listener of listeners) await listener.forgetTurns?.(ref.sessionId, ref.owner, load);
  return await finishCut({ driver, ref, lease }, session);
}

/**
 * Removes the remains of a session whose deletion failed or was interrupted, and returns `null`. Returns the record of a
 * session that is not deleted.
 */
export async function finishDeletion(sessions: ListenedSessions, held: Held): Promise<SessionRecord | null> {
  if (held.session.isDeleted !== true) return held.session;
  await removeWhole(sessions, held);
  return null;
}

/**
 * Removes a session with all its data. The session itself is removed last, so that a failed deletion can be repeated.
 *
 * A single write deletes the session: the mark in its record. It comes before the forks are read, because a process that
 * makes a fork looks for the mark once it has written the fork, so that each fork is read here or is not made. After a
 * failure or a crash behind the mark, the next deletion of the session, or its next run, removes the rest.
 */
async function removeWhole(sessions: ListenedSessions, { lease, ref, session }: Held): Promise<void> {
  const { driver } = sessions;
  const removal = { driver, confirm: () => lease.confirm() };
  await forgetSession(sessions, ref);
  const marked = await markDeleted(removal, ref, session);
  if (marked !== null) {
    await keepSharedTurns({ ...removal, ref, finish: (other) => finishOther(sessions, other) }, marked, 1);
    await leaveSource(driver, ref);
  }
  await removeSession(removal, ref, marked);
}

/** Removes a session of a user whose sessions are all removed, so that its turns are not kept for its forks. */
async function removeOfUser(sessions: ListenedSessions, { lease, ref }: Omit<Held, "session">): Promise<void> {
  const removal = { driver: sessions.driver, confirm: () => lease.confirm() };
  await forgetSession(sessions, ref);
  await markDeleted(removal, ref, await findReadable(sessions.driver, ref));
  await removeSession(removal, ref, null);
}

/** Reads the stored record of a session. Returns `null` for a damaged record, because nothing can be forked from it. */
async function findReadable(driver: StorageDriver, ref: SessionRef): Promise<SessionRecord | null> {
  return await findSession(driver, ref).catch((error: unknown) => {
    if (readProperty(error, "code") === "storage_corrupt") return null;
    throw error;
  });
}

async function forgetSession({ listeners }: ListenedSessions, { sessionId, owner }: SessionRef): Promise<void> {
  for (const listener of listeners) await listener.forgetSession?.(sessionId, owner);
}

/**
 * Finishes the deletion of another session, from which forks read, unless another process holds its lease or has
 * finished the deletion. Rejects if the rest cannot be deleted.
 */
export async function finishOther(sessions: ListenedSessions, ref: SessionRef): Promise<void> {
  await deleteSession(sessions, ref, { onBusy: "reject" }).catch((error: unknown) => {
    const code = readProperty(error, "code");
    if (code !== "conflict" && code !== "not_found") throw error;
  });
}

/** Marks a session as deleted. Returns its record, or `null` if there is none any more. */
async function markDeleted(
  { driver, confirm }: { driver: StorageDriver; confirm: () => Promise<void> },
  ref: SessionRef,
  session: SessionRecord | null,
): Promise<SessionRecord | null> {
  let known = session;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (known === null || known.isDeleted === true) return known;
    await confirm();
    // A process that lost its lease must not mark a record which another process has changed since: each attempt
    // confirms the lease again.
    const read: unknown[] = [];
    const change = (stored: SessionRecord): SessionRecord | null =>
      read.push(stored) === 1 ? { ...stored, isDeleted: true } : null;
    const written = await changeSession(driver, ref.key, { change, known });
    if (written !== null) return written.after;
    known = await findSession(driver, ref);
  }
  throw contended();
}

/**
 * Returns the error for a session that does not exist. The lease is marked so that the session's stored queue is
 * deleted with it.
 */
function forgotten(lease: Lease, { sessionId }: SessionRef): Error {
  lease.forget();
  return sessionNotFound(sessionId);
}
