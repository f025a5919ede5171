import { isCount, isOptionalString, readRecord, recordVersion } from "../storage/stored-record.ts";
import type { OrderingClock } from "../lock/ordering-clock.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { RecordKey } from "../storage/stored-record.ts";
import { isTurnCut } from "./turn-cut.ts";
import type { TurnCut } from "./turn-cut.ts";
import type { TitleSource } from "./session-title.ts";
import type { SessionOwner } from "../storage/session-owner.ts";

/**
 * The session from which a fork was made, of the same owner, and the number of the last turn that both share. `isLeft` is
 * set while the fork is removed.
 */
export type ForkPoint = { sessionId: string; seq: number; isLeft?: true };

/** Stored record of a session, without its turns, which are separate records. Times are epoch milliseconds. */
export type SessionRecord = {
  v: 1;
  owner: SessionOwner;
  createdAt: number;
  updatedAt: number;
  /** Position of the session in its owner's list: greater after each turn (see `recent-index.ts`). */
  recency?: number;
  /** Number of turns that are known to be stored. After a crash there may be one more (see `turn-log.ts`). */
  turns: number;
  /** Count of deleted turns. New turns do not reuse the numbers of deleted turns. */
  removed?: number;
  /** Deleted turns whose records may not have been removed yet (see `cut-turns.ts`). */
  cut?: TurnCut;
  title?: string;
  /** The writer of the title. If missing, the title was set by the user. */
  titleBy?: TitleSource;
  /**
   * The id of a durable run that waits for an answer. Until then no other run may begin, unless it cancels the waiting
   * run.
   */
  waiting?: string;
  /** Set in a fork, whose first turns are shared with another session. */
  from?: ForkPoint;
  /**
   * Set when the deletion of the session begins: from then on, no reader finds the session and nothing is forked from
   * it, although some of its data may remain (see `delete-session.ts`).
   */
  isDeleted?: true;
  /** Set in a hidden session while forks are moved to it, so that it is not removed meanwhile (see `fork-pasts.ts`). */
  isUnfinished?: true;
  /** Count of forks that were made from a hidden session after it was finished. */
  forked?: number;
};

/** Public description of a session, without its turns. Times are epoch milliseconds. */
export type SessionInfo = {
  sessionId: string;
  userId?: string;
  title?: string;
  createdAt: number;
  updatedAt: number;
  /** Number of turns, without deleted turns. */
  turns: number;
};

/** Makes (and does not store) the record of a new session without turns, created now. */
export function newSessionRecord(owner: SessionOwner, clock: OrderingClock): SessionRecord {
  const recency = clock.next();
  const now = Date.now();
  return { v: recordVersion, owner, createdAt: now, updatedAt: now, recency, turns: 0 };
}

/** Returns the position of a session in its owner's list: the greatest is the newest. */
export function recencyOf({ recency, updatedAt }: SessionRecord): number {
  return recency ?? updatedAt * 1000;
}

/**
 * Returns the point up to which a fork shares turns, for its readers: the last of the shared turns may be deleted,
 * although the record still has them for the forks of this fork. Returns undefined for a session that is not a fork.
 */
export function sharedPoint({ from, cut }: Pick<SessionRecord, "from" | "cut">): ForkPoint | undefined {
  return from && { ...from, seq: Math.min(from.seq, (cut?.from ?? Infinity) - 1) };
}

/**
 * Returns a session's stored record after a check of its shape. Throws `storage_corrupt` if it is damaged. Unknown
 * fields are kept, so that writing it back loses nothing.
 */
export function readSessionRecord(value: unknown, at: RecordKey): SessionRecord {
  return readRecord(value, at, isSessionRecord);
}

/** Returns the public description of a stored session. */
export function toSessionInfo(sessionId: string, session: SessionRecord): SessionInfo {
  const { owner, title, createdAt, updatedAt, turns, removed = 0 } = session;
  return {
    sessionId,
    ...(owner.userId !== undefined && { userId: owner.userId }),
    ...(title !== undefined && { title }),
    createdAt,
    updatedAt,
    turns: Math.max(0, turns - removed),
  };
}

function isSessionRecord(value: unknown): value is SessionRecord {
  return (
    isRecord(value) &&
    value["v"] === recordVersion &&
    isOwner(value["owner"]) &&
    Number.isFinite(value["createdAt"]) &&
    Number.isFinite(value["updatedAt"]) &&
    isCount(value["turns"]) &&
    hasOptionalFields(value)
  );
}

function hasOptionalFields(value: Record<string, unknown>): boolean {
  const { recency, removed, forked, cut, title, titleBy, waiting, from, isDeleted, isUnfinished } = value;
  return (
    [recency, removed, forked].every((count) => count === undefined || isCount(count)) &&
    (cut === undefined || isTurnCut(cut)) &&
    [title, titleBy, waiting].every(isOptionalString) &&
    (from === undefined || isForkPoint(from)) &&
    [isDeleted, isUnfinished].every((mark) => mark === undefined || mark === true)
  );
}

function isForkPoint(value: unknown): value is ForkPoint {
  if (!isRecord(value)) return false;
  const { sessionId, seq, isLeft } = value;
  return typeof sessionId === "string" && isCount(seq) && (isLeft === undefined || isLeft === true);
}

function isOwner(value: unknown): value is SessionOwner {
  if (!isRecord(value)) return false;
  const { tenantId, userId, verified } = value;
  return (
    isOptionalString(tenantId) && isOptionalString(userId) && (verified === undefined || typeof verified === "boolean")
  );
}
