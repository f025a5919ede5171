import { ownerKey, ownerOfKey, userOfKey } from "./owner-key.ts";
import type { OwnerKey } from "./owner-key.ts";

/** Namespace of the lists of owners, in whose keys a recency stands before the session's id. */
export const listNamespace = "session-recent";

/** Namespace of the memories by session id: `<sessionId>/<tenant>/<user>`, and for those without an owner `<sessionId>/*`. */
export const indexNamespace = "memory-by-id";

/** The owner of memories without one, in place of a tenant and a user. */
const noOwner = "*/*";

/** The group of all sessions without a verified user: anyone can begin one. */
const anonymous = ownerKey({});

/** Namespaces of turns, of which a session that was dropped keeps none. */
export const turnNamespaces: readonly string[] = ["turns", "turn-parts"];

/** Namespaces in which a session has records: under its own key, or under that key, a `/` and more. */
export const sessionNamespaces: readonly string[] = ["sessions", ...turnNamespaces, "memory", "locks"];

/** Returns the key of the session that a record belongs to, `<tenant>/<user>/<sessionId>`. Other records have none. */
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

/** Returns the key by which the memory of a session is found by its id. */
export function indexKeyOf(session: string): string {
  const end = session.lastIndexOf("/");
  const owner = session.slice(0, end);
  return `${session.slice(end + 1)}/${owner === noOwner ? "*" : owner}`;
}

/** Returns the owner that a session counts for. Sessions that anyone can begin have one together. */
export function ownerOfSession(session: string): OwnerKey {
  const owner = ownerOfKey(session);
  return userOfKey(owner) === "verified" ? owner : anonymous;
}
