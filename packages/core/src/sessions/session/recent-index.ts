import { encodeKey } from "../storage/encode-key.ts";
import type { StorageDriver, Write } from "../storage/storage-driver.ts";
import { recordVersion } from "../storage/stored-record.ts";
import { applyWrites } from "./change-session.ts";
import type { SessionRef } from "./session-keys.ts";
import { isMemberSessionId } from "./session-id.ts";
import { namespaces, ownerPrefix, sessionIdOf } from "./session-keys.ts";
import type { SessionOwner } from "../storage/session-owner.ts";
import { recencyOf } from "./session-record.ts";
import type { SessionRecord } from "./session-record.ts";

/**
 * Position in an owner's list of sessions, newest first: the id of a session, and the recency under which it is listed.
 */
export type RecentPlace = { sessionId: string; recency: number };

/** A number greater than every recency, so that keys sort newest first: the year 2255 in microseconds. */
const endOfTime = 9_000_000_000_000_000;
const digits = 16;

/** The form of a position as a listing's cursor. Of two positions with equal recency, the smaller id comes first. */
const cursorForm = /^(\d{1,16})~(.+)$/;

/**
 * Returns true if a session is in the index `session-recent`, from which sessions are listed. The index omits sessions
 * without a user, which no user may list, and sessions that a team opened for a member.
 *
 * The session's record is authoritative. The order of writes never hides a session. The entry is written before the
 * record is created. A turn updates the record first and then the entry. A deletion removes the entry last. After a
 * crash an entry may therefore be older than its record, or have no record. `listSessions` handles both.
 */
function isIndexed({ owner, sessionId }: Pick<SessionRef, "owner" | "sessionId">): boolean {
  return owner.userId !== undefined && !isMemberSessionId(sessionId);
}

/** Returns the key of a session's entry in the index `session-recent`. */
export function recentKey(owner: SessionOwner, { sessionId, recency }: RecentPlace): string {
  const inverted = String(Math.max(0, endOfTime - recency)).padStart(digits, "0");
  return `${ownerPrefix(owner)}${inverted}/${encodeKey(sessionId)}`;
}

/** Reads the session id and the recency in the key of an entry of the index `session-recent`. */
export function readRecentKey(owner: SessionOwner, key: string): RecentPlace {
  const start = ownerPrefix(owner).length;
  return { sessionId: sessionIdOf(key), recency: endOfTime - Number(key.slice(start, start + digits)) };
}

/** Formats a session's position in its owner's list as the cursor `next` of a page. */
export function toSessionCursor({ sessionId, recency }: RecentPlace): string {
  return `${recency}~${sessionId}`;
}

/** Reads the cursor of a page of sessions; `undefined` if it is invalid. */
export function parseSessionCursor(cursor: string): RecentPlace | undefined {
  const [, recency, sessionId] = cursorForm.exec(cursor) ?? [];
  return sessionId === undefined ? undefined : { sessionId, recency: Number(recency) };
}

/**
 * Returns the writes that move a session in the index `session-recent`, from its position before a change of its record
 * to its position after.
 */
export function indexWrites(ref: SessionRef, before: SessionRecord | null, after: SessionRecord | null): Write[] {
  if (!isIndexed(ref)) return [];
  const [from, to] = [before, after].map((record) => record && entryKey(ref, record));
  if (from === to) return [];
  const { recent: namespace } = namespaces;
  return [
    ...(to ? [{ namespace, key: to, value: { v: recordVersion } }] : []),
    ...(from ? [{ namespace, key: from, value: null }] : []),
  ];
}

/**
 * Moves a session in the index `session-recent` after its record has changed. A failure is ignored: the change is
 * stored, and the next listing moves the entry.
 */
export async function moveInIndex(
  driver: StorageDriver,
  ref: SessionRef,
  { before, after }: { before: SessionRecord; after: SessionRecord },
): Promise<void> {
  try {
    await applyWrites(driver, indexWrites(ref, before, after));
  } catch {
    // A failure to move the entry is ignored, because the next listing of sessions moves it.
  }
}

function entryKey({ owner, sessionId }: SessionRef, record: SessionRecord): string {
  return recentKey(owner, { sessionId, recency: recencyOf(record) });
}
