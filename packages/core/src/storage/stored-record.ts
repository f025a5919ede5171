import { TroupeError } from "../errors/troupe-error.ts";
import { isRecord } from "../util/is-record.ts";

/** Namespace and key of a record. */
export type RecordKey = { namespace: string; key: string };

/** The field `v` of every record that core stores (sessions, turns, queues, memory, facts). `readRecord` refuses a newer one. */
export const recordVersion = 1;

/** Returns whether the value is an array of such items. */
export function isList<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem);
}

/** Returns whether the value is an integer of 0 or more. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns whether the value is a string or `undefined`. */
export function isOptionalString(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/** Returns a stored value that has the shape, with its unknown fields; damage is `storage_corrupt`. */
export function readRecord<Shape>(value: unknown, at: RecordKey, hasShape: (value: unknown) => value is Shape): Shape {
  if (isRecord(value) && isCount(value["v"]) && value["v"] > recordVersion) throw newerRecord(value["v"], at);
  if (!hasShape(value)) throw corruptRecord(at);
  return value;
}

/** Error of a damaged record. It names the key alone, because the value may be private. */
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
