import type { Lease } from "../lock/lease.ts";
import { checkUser } from "../storage/session-owner.ts";
import type { UserScope } from "../storage/session-owner.ts";
import { acquireSession } from "./acquire-session.ts";
import type { SessionPlace } from "./acquire-session.ts";
import { sessionNotFound } from "./create-session.ts";
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

/** Deletes a session with its turns, its memory and its members' sessions, after earlier runs are done. */
export async function deleteSession(sessions: ListenedSessions, ref: SessionRef, signal?: AbortSignal): Promise<void> {
  const { lease, session } = await acquireSession(sessions, ref, { signal });
  try {
    if (session === null) throw forgotten(lease, ref);
    await lease.write(() => removeWhole(sessions, { lease, ref, session }), signal);
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
      const whole = await finishStoredCut(sessions, { lease, ref, session });
      const cut = await cutTurns({ driver: sessions.driver, ref, lease }, { from, session: whole });
      if (cut !== null) await finishStoredCut(sessions, { lease, ref, session: cut });
    }, signal);
  } finally {
    lease.release();
  }
}

/** Deletes a user's sessions, memory and facts. After a rejection, some of them may remain: call it again. */
export async function deleteUser(sessions: ListenedSessions, userId: string, scope: UserScope): Promise<void> {
  const { driver, queues, policy, listeners } = sessions;
  const owner = checkUser(userId, scope);
  for await (const { key } of ownSessions(driver, owner)) {
    const lease = await queues.join(key, policy).granted;
    const ref = { key, owner, sessionId: sessionIdOf(key) };
    try {
      await lease.write(() => removeWhole(sessions, { lease, ref, session: null }));
    } finally {
      lease.release();
    }
  }
  await removeUserRecords(driver, owner);
  for (const listener of listeners) await listener.forgetUser?.(owner);
}

/** A session under its lease. */
type HeldSession<Stored = SessionRecord> = { lease: Lease; ref: SessionRef; session: Stored };

/** Removes the remains of a session's deleted turns, in the storage and in memories. */
export async function finishStoredCut(
  { driver, listeners }: ListenedSessions,
  { lease, ref, session }: HeldSession,
): Promise<SessionRecord> {
  if (session.cut === undefined) return session;
  await keepSharedTurns({ driver, ref, confirm: () => lease.confirm() }, session, session.cut.from);
  const parts = new PartStore(driver, ref.key);
  const load = async () => await parts.fillTurns(await openTurnLog(driver, ref).newest(mostReloaded, session));
  await removeMemory(driver, ref.key);
  for (const listener of listeners) await listener.forgetTurns?.(ref.sessionId, ref.owner, load);
  return await finishCut({ driver, ref, lease }, session);
}

/**
 * Removes a session with all its data. The session itself is removed last, so that a failed deletion can be repeated.
 */
async function removeWhole(
  { driver, listeners }: ListenedSessions,
  { lease, ref, session }: HeldSession<SessionRecord | null>,
): Promise<void> {
  for (const listener of listeners) await listener.forgetSession?.(ref.sessionId, ref.owner);
  const removal = { driver, confirm: () => lease.confirm() };
  if (session !== null) await keepSharedTurns({ ...removal, ref }, session, 1);
  if (session !== null) await leaveSource(driver, ref, session);
  await removeSession(removal, ref, session);
  lease.forget();
}

/**
 * Returns the error for a session that does not exist. The lease is marked so that the session's stored queue is
 * deleted with it.
 */
function forgotten(lease: Lease, { sessionId }: SessionRef): Error {
  lease.forget();
  return sessionNotFound(sessionId);
}
