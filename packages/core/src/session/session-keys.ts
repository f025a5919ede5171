import { lockNamespace } from "../lock/stored-queue.ts";
import { decodeSequence, encodeKey, encodeSequence } from "../storage/encode-key.ts";

/** Where the records of sessions and users are kept. */
export const namespaces = {
  sessions: "sessions",
  turns: "turns",
  memory: "memory",
  facts: "facts",
  locks: lockNamespace,
} as const;

/**
 * The first part of a key: whose data it is. Without a tenant it is `-`, and a tenant that is really called so is written
 * `%2D`, which no other name is encoded to.
 */
export function tenantPart(tenantId: string | undefined): string {
  if (tenantId === undefined) return "-";
  return tenantId === "-" ? "%2D" : encodeKey(tenantId);
}

/** The key of a session in `sessions`; its turns and its memory stand below it. */
export function sessionKey(tenantId: string | undefined, sessionId: string): string {
  return `${tenantPart(tenantId)}/${encodeKey(sessionId)}`;
}

/** What all records below a key begin with. */
export function below(key: string): string {
  return `${key}/`;
}

/**
 * What the keys of a session's member sessions begin with. The `/` or `#` behind the team's id is the only thing of a
 * session id that is ever encoded, so the prefix meets no other session.
 */
export function memberSessionsOf(key: string): string {
  return `${key}%`;
}

/** The key of a turn. */
export function turnKey(session: string, seq: number): string {
  return below(session) + encodeSequence(seq);
}

/** The number of the turn that the key stands for; another record's has none. */
export function turnOfKey(session: string, key: string): number | undefined {
  const prefix = below(session);
  return key.startsWith(prefix) ? decodeSequence(key.slice(prefix.length)) : undefined;
}

/** The id of the session that a key in `sessions` stands for. */
export function sessionOfKey(key: string): string {
  return decodeURIComponent(key.slice(key.indexOf("/") + 1));
}

/** What the keys of a user's facts begin with. */
export function factsOf(tenantId: string | undefined, userId: string): string {
  return below(`${tenantPart(tenantId)}/${encodeKey(userId)}`);
}
