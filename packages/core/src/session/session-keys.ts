import { lockNamespace } from "../lock/stored-queue.ts";
import { decodeSequence, encodeKey, encodeSequence } from "../storage/encode-key.ts";
import type { SessionOwner } from "./session-owner.ts";

/** Namespaces of the records of sessions and users. */
export const namespaces = {
  sessions: "sessions",
  turns: "turns",
  memory: "memory",
  facts: "facts",
  locks: lockNamespace,
} as const;

/**
 * Returns the first two parts of a key, the tenant and the user. Each is `-` when there is none; a name `-` is written
 * `%2D`, which no other name is encoded to. The part of an unverified user begins with `~`, which is encoded in names.
 */
export function ownerKey({ tenantId, userId, verified = true }: SessionOwner): string {
  const user = userId === undefined || verified ? namePart(userId) : `~${encodeKey(userId)}`;
  return `${namePart(tenantId)}/${user}`;
}

/** Returns the prefix of the keys of all that an owner has in a namespace. */
export function belongingTo(owner: SessionOwner): string {
  return below(ownerKey(owner));
}

/** Returns the key of a session. The keys of its turns and its memory begin with it. */
export function sessionKey(owner: SessionOwner, sessionId: string): string {
  return belongingTo(owner) + encodeKey(sessionId);
}

/** Returns the prefix of all keys below a key. */
export function below(key: string): string {
  return `${key}/`;
}

/**
 * Returns the prefix of the keys of a session's member sessions. Only the `/` or `#` after a team's id is ever encoded in
 * a session id, so no other session has this prefix.
 */
export function memberSessionsOf(key: string): string {
  return `${key}%`;
}

/** Returns the key of a turn. */
export function turnKey(session: string, seq: number): string {
  return below(session) + encodeSequence(seq);
}

/** Returns the number of the turn with this key, or `undefined` when it is no turn's. */
export function turnOfKey(session: string, key: string): number | undefined {
  const prefix = below(session);
  return key.startsWith(prefix) ? decodeSequence(key.slice(prefix.length)) : undefined;
}

/** Returns the id of the session with this key. */
export function sessionOfKey(key: string): string {
  return decodeURIComponent(key.slice(key.lastIndexOf("/") + 1));
}

function namePart(name: string | undefined): string {
  if (name === undefined) return "-";
  return name === "-" ? "%2D" : encodeKey(name);
}
