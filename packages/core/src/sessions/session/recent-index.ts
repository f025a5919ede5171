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

/** Place in an owner's list of sessions, newest first: a session, and the recency under which it is listed. */
export type RecentPlace = { sessionId: string; recency: number };

/** Greater than every recency, so that keys sort the newest first: the year 2255 in microseconds. */
const endOfTime = 9_000_000_000_000_000;
const digits = 16;

/** A place as a cursor of a listing. Of two places with one recency, the one with the smaller id comes first. */
const cursorForm = /^(\d{1,16})~(.+)$/;

/**
 * Tells if a session is in the index `session-recent`, from which sessions are listed: not without a user, who alone
 * could list it, and not one that a team opened for a member.
 *
 * The session's record is the truth, and the index follows it in the order that never hides a session: the entry is
 * there before the record is created; a turn moves the record first and then the entry; a deletion ends with the entry.
 * So after a crash the entry of a session may be older than its record, or belong to no record. `listSessions` treats both.
 */
function isIndexed({ owner, sessionId }: Pick<SessionRef, "owner" | "sessionId">): boolean {
  return owner.userId !== undefined && !isMemberSessionId(sessionId);
}

/** Returns the key of an entry of the index. */
export function recentKey(owner: SessionOwner, { sessionId, recency }: RecentPlace): string {
  const inverted = String(Math.max(0, endOfTime - recency)).padStart(digits, "0");
  return `${ownerPrefix(owner)}${inverted}/${encodeKey(sessionId)}`;
}

/** Reads the key of an entry of the index. */
export function readRecentKey(owner: SessionOwner, key: string): RecentPlace {
  const start = ownerPrefix(owner).length;
  return { sessionId: sessionIdOf(key), recency: endOfTime - Number(key.slice(start, start + digits)) };
}

/** Writes a place as the cursor `next` of a page. */
export function toSessionCursor({ sessionId, recency }: RecentPlace): string {
  return `${recency}~${sessionId}`;
}

/** Reads the cursor of a page, or returns `undefined` for what is none. */
export function parseSessionCursor(cursor: string): RecentPlace | undefined {
  const [, recency, sessionId] = cursorForm.exec(cursor) ?? [];
  return sessionId === undefined ? undefined : { sessionId, recency: Number(recency) };
}

/** Returns the writes that move a session in the index, from its place before a change of its record to that after. */
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
 * Moves a session in the index after its record has changed. A failure is ignored: the change is stored, and the next
 * listing moves the entry.
 */
export async function moveInIndex(
  driver: StorageDriver,
  ref: SessionRef,
  { before, after }: { before: SessionRecord; after: SessionRecord },
): Promise<void> {
  try {
    await applyWrites(driver, indexWrites(ref, before, after));
  } catch {
    // See above.
  }
}

function entryKey({ owner, sessionId }: SessionRef, record: SessionRecord): string {
  return recentKey(owner, { sessionId, recency: recencyOf(record) });
}
