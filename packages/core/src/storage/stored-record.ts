import { TroupeError } from "../errors/troupe-error.ts";

/** Where a record stands. */
export type RecordKey = { namespace: string; key: string };

/** The version of the records that this code writes, and the newest it reads. */
export const recordVersion = 1;

/** Whether the value is an object with named fields. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the value is a list of such items. */
export function isList<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(isItem);
}

/** Whether the value counts something: zero or a whole number above. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether an optional field is absent or a text. */
export function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/** Takes what was stored when it has the shape, whatever else it holds; damage is `storage_corrupt`. */
export function readRecord<Shape>(
  value: unknown,
  place: RecordKey,
  hasShape: (value: unknown) => value is Shape,
): Shape {
  if (isRecord(value) && isCount(value["v"]) && value["v"] > recordVersion) throw newerRecord(value["v"], place);
  if (!hasShape(value)) throw corruptRecord(place);
  return value;
}

/** The refusal of a record that cannot be read. It names the place alone: what stands there may be private. */
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
