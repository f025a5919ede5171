import type { Lease } from "../lock/lease.ts";
import { acquireSession } from "./acquire-session.ts";
import { createSession } from "./create-session.ts";
import type { CreatedSession } from "./create-session.ts";
import { finishDeletion, finishStoredCut } from "./delete-session.ts";
import type { ListenedSessions, Held } from "./delete-session.ts";
import type { HeldSession, OpenedSession } from "./opened-session.ts";
import { PartStore } from "./part-store.ts";
import type { OpenOptions } from "./session-access.ts";
import type { SessionRef } from "./session-keys.ts";
import type { SessionRecord } from "./session-record.ts";
import { openTurnLog } from "./turn-log.ts";
import type { TurnLog } from "./turn-log-type.ts";
import { endOtherWait } from "./waiting-run.ts";

/** An opened session whose lease was acquired immediately. */
export class AcquiredSession implements OpenedSession, HeldSession {
  readonly session: SessionRecord;
  readonly isNew: boolean;
  readonly log: TurnLog;
  readonly parts: PartStore;
  readonly lease: Lease;

  constructor({ session, isNew }: CreatedSession, { log, parts, lease }: HeldSession) {
    this.session = session;
    this.isNew = isNew;
    this.log = log;
    this.parts = parts;
    this.lease = lease;
  }

  hold(): this {
    return this;
  }

  storeFirst(): undefined {
    return undefined;
  }

  release(): void {
    this.lease.release();
  }
}

/**
 * Acquires the lease on a session, after all earlier runs, and creates the session if it is missing. Throws `conflict`
 * if another run waits for an answer in it, unless `onWaiting` is `cancel`.
 *
 * @param fresh the record to create if the session is missing
 */
export async function openAcquired(
  sessions: ListenedSessions,
  ref: SessionRef,
  { access, fresh }: { access: OpenOptions; fresh?: SessionRecord },
): Promise<AcquiredSession> {
  const { driver } = sessions;
  // Skipping the read is safe even if the session exists: `compareAndSet` detects it.
  const isKnownNew = access.isNew === true && driver.compareAndSet !== undefined;
  const { signal, run, onBusy } = access;
  const { lease, session } = await acquireSession(sessions, ref, { signal, isKnownNew, run, onBusy });
  try {
    const live = session?.isDeleted === true ? null : session;
    const waiting = live?.waiting;
    if (waiting !== undefined && waiting !== run?.runId) {
      // The lease is released, because the waiting run needs it to store its end.
      lease.release();
      await endOtherWait({ driver, key: ref.key, listeners: sessions.listeners }, waiting, access);
      return await openAcquired(sessions, ref, { access });
    }
    const prepare = () => prepareSession(sessions, { lease, ref, session }, fresh);
    const opened = isReady(live) ? { session: live, isNew: false } : await lease.write(prepare, signal);
    const log = openTurnLog(driver, ref, lease.appendOptions);
    return new AcquiredSession(opened, { log, parts: new PartStore(driver, ref.key), lease });
  } catch (error) {
    lease.release();
    throw error;
  }
}

function isReady(session: SessionRecord | null): session is SessionRecord {
  return session !== null && session.cut === undefined;
}

/** Creates a session that is missing, and finishes deletions that other processes have not finished. */
async function prepareSession(
  sessions: ListenedSessions,
  held: Held<SessionRecord | null>,
  fresh?: SessionRecord,
): Promise<CreatedSession> {
  const { lease, ref, session } = held;
  if (session === null) {
    const created = await createSession(sessions.driver, ref, fresh);
    if (created.session.isDeleted !== true) return created;
    return await prepareSession(sessions, { lease, ref, session: created.session }, fresh);
  }
  const live = await finishDeletion(sessions, { lease, ref, session });
  if (live === null) return await prepareSession(sessions, { lease, ref, session: null }, fresh);
  return { session: await finishStoredCut(sessions, { lease, ref, session: live }), isNew: false };
}
