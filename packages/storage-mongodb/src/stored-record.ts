import { encodeKey } from "@troupe/core/storage";
import type { ClientSession, Collection } from "mongodb";

/**
 * A record in the collection. Its `_id` consists of the namespace, encoded without `/`, then `/` and the key, so that
 * the ids of a namespace sort by the bytes of their keys. `v` is JSON text, because BSON restricts names and depth. An
 * append under a lease increments `fence` in the lease's record, so that it conflicts with a takeover.
 */
export type StoredRecord = { _id: string; v: string; fence?: number };

/**
 * The collection and the session of one storage call. Through the session, the call sees all that earlier calls saw and
 * wrote, even after another server became the primary.
 */
export type MongoSession = {
  readonly records: Collection<StoredRecord>;
  readonly session: ClientSession;
  readonly timeoutMs: number;
};

/** Returns the `_id` under which a record is stored, which contains its namespace and key. */
export function idOf(namespace: string, key: string): string {
  return `${encodeKey(namespace)}/${key}`;
}

/** Returns the key in the `_id` of a record of this namespace. */
export function keyOf(namespace: string, id: string): string {
  return id.slice(idOf(namespace, "").length);
}
