import { lockNamespace } from "../lock/stored-queue.ts";
import { decodeSequence, encodeKey, encodeSequence } from "../storage/encode-key.ts";

/** Namespaces of the records of sessions and users. */
export const namespaces = {
  sessions: "sessions",
  turns: "turns",
  memory: "memory",
  facts: "facts",
  locks: lockNamespace,
} as const;

/**
 * Returns the first part of a key, the tenant. It is `-` without a tenant; a tenant called `-` is written `%2D`, which no
 * other name is encoded to.
 */
export function tenantPart(tenantId: string | undefined): string {
  if (tenantId === undefined) return "-";
  return tenantId === "-" ? "%2D" : encodeKey(tenantId);
}

/** Returns the key of a session. The keys of its turns and its memory begin with it. */
export function sessionKey(tenantId: string | undefined, sessionId: string): string {
  return `${tenantPart(tenantId)}/${encodeKey(sessionId)}`;
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
  return decodeURIComponent(key.slice(key.indexOf("/") + 1));
}

/** Returns the prefix of the keys of a user's facts. */
export function factsOf(tenantId: string | undefined, userId: string): string {
  return below(`${tenantPart(tenantId)}/${encodeKey(userId)}`);
}
