import { lockNamespace } from "../lock/stored-queue.ts";
import { decodeSequence, encodeKey, encodeSequence } from "../storage/encode-key.ts";
import { ownerKey } from "../storage/owner-key.ts";
import type { SessionOwner } from "../storage/session-owner.ts";

/**
 * Namespaces of sessions and of what belongs to them in the storage: turns, memories, facts about users, and queues.
 */
export const namespaces = {
  sessions: "sessions",
  recent: "session-recent",
  turns: "turns",
  turnParts: "turn-parts",
  /** The namespace of the entries for the forks of a session: `<session's key>/<fork's id>`. */
  forks: "session-forks",
  memory: "memory",
  /**
   * The namespace of the entries that list memories by session id: `<sessionId>/<owner>`. Memories without an owner are
   * stored under `<sessionId>/*`.
   */
  memoryById: "memory-by-id",
  facts: "facts",
  /** The namespace of the entries that list shares by their ids. Each has the key of the share's record. */
  shares: "shares",
  /** The namespace of the records of shares: `<session's key>/<share's id>`. */
  sessionShares: "session-shares",
  /** The namespace of a single record with which a health check proves that the storage is writable. */
  probe: "probe",
  locks: lockNamespace,
} as const;

/** Returns the prefix of the keys of all records that an owner has in a namespace. */
export function ownerPrefix(owner: SessionOwner): string {
  return keyPrefixOf(ownerKey(owner));
}

/** Reference to a session that may not exist: its storage key, its id, and its owner (the caller). */
export type SessionRef = { key: string; sessionId: string; owner: SessionOwner };

/** Makes a reference to an owner's session. */
export function sessionRef(owner: SessionOwner, sessionId: string): SessionRef {
  return { key: sessionKey(owner, sessionId), sessionId, owner };
}

/** Returns the storage key of an owner's session. The keys of the session's turns and memory begin with it. */
export function sessionKey(owner: SessionOwner, sessionId: string): string {
  return ownerPrefix(owner) + encodeKey(sessionId);
}

/** Returns the prefix of all keys below a key: the key and a `/`. */
export function keyPrefixOf(key: string): string {
  return `${key}/`;
}

/**
 * Returns the key prefix of the sessions that a team opened for its members under the session with this key. In a
 * session id only the `/` or `#` after a team's id is encoded, so no other session has this prefix.
 */
export function memberSessionsPrefix(key: string): string {
  return `${key}%`;
}

/** Returns the prefix of the keys in `memory-by-id` of all memories of a session id. */
export function memoriesPrefix(sessionId: string): string {
  return keyPrefixOf(encodeKey(sessionId));
}

/**
 * Returns the key in `memory-by-id` of the memory of the session with this storage key: `<sessionId>/<tenant>/<user>`.
 */
export function memoryEntryKey(session: string): string {
  const end = session.lastIndexOf("/");
  return keyPrefixOf(session.slice(end + 1)) + session.slice(0, end);
}

/** Returns the storage key of the session whose memory has this key in `memory-by-id`. */
export function memoryEntrySession(entry: string): string {
  const end = entry.indexOf("/");
  return keyPrefixOf(entry.slice(end + 1)) + entry.slice(0, end);
}

/** Returns the storage key of the turn with the number `seq`, in the session with the key `session`. */
export function turnKey(session: string, seq: number): string {
  return keyPrefixOf(session) + encodeSequence(seq);
}

/** Returns the number of the turn with this key; `undefined` if it is not the key of a turn of the session. */
export function turnNumberOf(session: string, key: string): number | undefined {
  const prefix = keyPrefixOf(session);
  return key.startsWith(prefix) ? decodeSequence(key.slice(prefix.length)) : undefined;
}

/** Returns the id of the session with this storage key. */
export function sessionIdOf(key: string): string {
  return decodeURIComponent(key.slice(key.lastIndexOf("/") + 1));
}
