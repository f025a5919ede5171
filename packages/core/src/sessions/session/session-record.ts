import { isCount, isOptionalString, readRecord, recordVersion } from "../storage/stored-record.ts";
import type { OrderingClock } from "../lock/ordering-clock.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { RecordKey } from "../storage/stored-record.ts";
import { isTurnCut } from "./turn-cut.ts";
import type { TurnCut } from "./turn-cut.ts";
import type { TitleSource } from "./session-title.ts";
import type { SessionOwner } from "../storage/session-owner.ts";

/** Stored record of a session, without its turns, which are records of their own. Times are epoch milliseconds. */
export type SessionRecord = {
  v: 1;
  owner: SessionOwner;
  createdAt: number;
  updatedAt: number;
  /** Place of the session in its owner's list: greater after each turn (see `recent-index.ts`). */
  recency?: number;
  /** Number of turns that are known to be stored. After a crash there may be one more (see `turn-log.ts`). */
  turns: number;
  /** Number of turns that were deleted. Their numbers are not used again. */
  removed?: number;
  /** Turns that are deleted, of which records may be left (see `cut-turns.ts`). */
  cut?: TurnCut;
  title?: string;
  /** Missing beside a title: the user's. */
  titleBy?: TitleSource;
  /** The id of a durable run that waits for an answer: no other run may begin. */
  waiting?: string;
};

/** Public description of a session, without its turns. Times are epoch milliseconds. */
export type SessionInfo = {
  sessionId: string;
  userId?: string;
  title?: string;
  createdAt: number;
  updatedAt: number;
  /** Number of turns. */
  turns: number;
};

/** Makes the record of a new session without turns, created now; it stores nothing. */
export function newSessionRecord(owner: SessionOwner, clock: OrderingClock): SessionRecord {
  const recency = clock.next();
  const now = Date.now();
  return { v: recordVersion, owner, createdAt: now, updatedAt: now, recency, turns: 0 };
}

/** Returns the place of a session in its owner's list: the greatest is the newest. */
export function recencyOf({ recency, updatedAt }: SessionRecord): number {
  return recency ?? updatedAt * 1000;
}

/**
 * Returns a session's stored record after a check of its shape; throws `storage_corrupt` when it is damaged. Unknown
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

function hasOptionalFields({ recency, removed, cut, title, titleBy, waiting }: Record<string, unknown>): boolean {
  return (
    [recency, removed].every((count) => count === undefined || isCount(count)) &&
    (cut === undefined || isTurnCut(cut)) &&
    isOptionalString(title) &&
    isOptionalString(titleBy) &&
    isOptionalString(waiting)
  );
}

function isOwner(value: unknown): value is SessionOwner {
  if (!isRecord(value)) return false;
  const { tenantId, userId, verified } = value;
  return (
    isOptionalString(tenantId) && isOptionalString(userId) && (verified === undefined || typeof verified === "boolean")
  );
}
