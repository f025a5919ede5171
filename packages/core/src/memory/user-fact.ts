import { readRecord, recordVersion } from "../storage/stored-record.ts";
import { isRecord } from "../util/is-record.ts";
import type { RecordKey } from "../storage/stored-record.ts";

/** Whether a model found the fact, or somebody said so. */
export type FactSource = "auto" | "manual";

/** Something known of a user. */
export type UserFact = { id: string; fact: string; createdAt: Date; source: FactSource };

/** A fact as it is stored. */
export type FactRecord = {
  v: 1;
  fact: string;
  source: FactSource;
  /** Epoch milliseconds. Not for ordering: clocks are set. */
  createdAt: number;
  /** One more than that of all facts that the user had. */
  order: number;
};

/** A fact and its id. */
export type StoredFact = FactRecord & { id: string };

/** Whether the value says where a fact is from. */
export function isFactSource(value: unknown): value is FactSource {
  return value === "auto" || value === "manual";
}

/** Takes a stored fact; damage is `storage_corrupt`. */
export function readFact(value: unknown, place: RecordKey): FactRecord {
  return readRecord(value, place, isFactRecord);
}

/** The fact as it is told. */
export function toUserFact({ id, fact, createdAt, source }: StoredFact): UserFact {
  return { id, fact, createdAt: new Date(createdAt), source };
}

function isFactRecord(value: unknown): value is FactRecord {
  return (
    isRecord(value) &&
    value["v"] === recordVersion &&
    typeof value["fact"] === "string" &&
    isFactSource(value["source"]) &&
    Number.isFinite(value["createdAt"]) &&
    Number.isSafeInteger(value["order"])
  );
}
