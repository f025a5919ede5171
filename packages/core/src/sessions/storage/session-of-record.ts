import { ownerKey, ownerOfKey, userOfKey } from "./owner-key.ts";
import type { OwnerKey } from "./owner-key.ts";

/** Namespace of the owners' lists, whose keys have a recency before the session's id. */
export const listNamespace = "session-recent";

/**
 * Namespace of the entries that list memories by session id: `<sessionId>/<tenant>/<user>`, and `<sessionId>/*` for
 * memories without an owner.
 */
export const indexNamespace = "memory-by-id";

/** The owner part of memories without an owner, instead of a tenant and a user. */
const noOwner = "*/*";

/** The group of all sessions without a verified user. They share one group, because anyone can begin such a session. */
const anonymous = ownerKey({});

/** Namespace of the shares of sessions: `<session's key>/<share's id>`. */
export const sharesNamespace = "session-shares";

/** Namespace of the entries that list shares by their ids, which do not show the session. */
export const shareIndexNamespace = "shares";

/** Namespaces of turns and of their data. A dropped session loses all of these records. */
export const turnNamespaces: readonly string[] = ["turns", "turn-parts"];

/** Namespaces with records of a session: under the session's key, or under that key followed by `/` and more. */
export const sessionNamespaces: readonly string[] = [
  "sessions",
  ...turnNamespaces,
  "session-forks",
  "memory",
  "locks",
  sharesNamespace,
];

/**
 * Returns the key of the session that a record belongs to, `<tenant>/<user>/<sessionId>`; undefined for other records.
 */
export function sessionOf(namespace: string, key: string): string | undefined {
  if (namespace === listNamespace) return sessionListed(key);
  if (namespace === indexNamespace) return sessionIndexed(key);
  if (!sessionNamespaces.includes(namespace)) return undefined;
  const userEnd = key.indexOf("/", key.indexOf("/") + 1);
  if (userEnd === -1) return undefined;
  const sessionEnd = key.indexOf("/", userEnd + 1);
  return sessionEnd === -1 ? key : key.slice(0, sessionEnd);
}

function sessionListed(key: string): string | undefined {
  const [, owner, id] = /^([^/]*\/[^/]*)\/[^/]*(\/[^/]*)$/.exec(key) ?? [];
  return owner === undefined ? undefined : `${owner}${id}`;
}

function sessionIndexed(key: string): string | undefined {
  const [, id, owner = ""] = /^([^/]*)\/(\*|[^/]*\/[^/]*)$/.exec(key) ?? [];
  return id === undefined ? undefined : `${owner === "*" ? noOwner : owner}/${id}`;
}

/** Returns the key in the namespace `memory-by-id` for the memory of a session. */
export function indexKeyOf(session: string): string {
  const end = session.lastIndexOf("/");
  const owner = session.slice(0, end);
  return `${session.slice(end + 1)}/${owner === noOwner ? "*" : owner}`;
}

/** Returns the owner for which a session is counted. Sessions that anyone can begin share one owner. */
export function ownerOfSession(session: string): OwnerKey {
  const owner = ownerOfKey(session);
  return userOfKey(owner) === "verified" ? owner : anonymous;
}
