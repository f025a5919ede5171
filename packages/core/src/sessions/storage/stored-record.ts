import { TroupeError } from "../../base/errors/troupe-error.ts";
import { isRecord } from "../../base/util/is-record.ts";

/** Namespace and key of a stored record. */
export type RecordKey = { namespace: string; key: string };

/**
 * The version of the records that core stores (sessions, turns, queues, memory, facts), in their field `v`.
 * `readRecord` rejects a newer version.
 */
export const recordVersion = 1;

/** Returns true if a value is an array whose every item passes `isItem`. */
export function isArrayOf<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem);
}

/** Returns true if a value is an integer of at least 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns true if a value is a string or `undefined`. */
export function isOptionalString(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/**
 * Returns a stored value that has the shape, including its unknown fields. Throws `storage_corrupt` if it is damaged or
 * of a newer version.
 */
export function readRecord<Shape>(value: unknown, at: RecordKey, hasShape: (value: unknown) => value is Shape): Shape {
  if (isRecord(value) && isCount(value["v"]) && value["v"] > recordVersion) throw newerRecord(value["v"], at);
  if (!hasShape(value)) throw corruptRecord(at);
  return value;
}

/** Makes the `storage_corrupt` error of a damaged record. It names only the key, because the value may be private. */
export function corruptRecord({ namespace, key }: RecordKey): TroupeError {
  const message = `The record ${JSON.stringify(key)} in "${namespace}" is damaged: restore it from a backup or delete it.`;
  return new TroupeError("storage_corrupt", message, { fields: { namespace, key } });
}

function newerRecord(version: number, { namespace, key }: RecordKey): TroupeError {
  const message =
    `The record ${JSON.stringify(key)} in "${namespace}" has version ${version}, and this release reads up to ` +
    `${recordVersion}: a newer release wrote it, so update this one.`;
  return new TroupeError("storage_corrupt", message, { fields: { namespace, key, version } });
}
