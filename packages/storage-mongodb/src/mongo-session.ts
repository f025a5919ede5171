import type { ClientSession, Collection } from "mongodb";
import type { StoredRecord } from "./stored-record.ts";

/**
 * What one call works with. Every request goes through the session: so a call sees at least what the calls saw and wrote
 * that had ended before it, also when another server has become the primary and does not yet know how far the majority is.
 */
export type MongoSession = {
  readonly records: Collection<StoredRecord>;
  readonly session: ClientSession;
  readonly timeoutMs: number;
};
