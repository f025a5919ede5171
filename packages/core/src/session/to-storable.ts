import { setOwn } from "../util/set-own.ts";

/**
 * A copy that every storage takes and gives back the same: what a model, a vendor or a tool made may hold halves of
 * characters, objects of classes, and members under symbols or without a value. A turn is not lost for such a thing.
 */
export function toStorable<Value>(value: Value): Value {
  return storable(value) as Value;
}

function storable(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(storable) : storableMembers(value as Record<string, unknown>);
}

// Every turn goes through here: lists of entries in between cost several times as much.
function storableMembers(record: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    const member = record[name];
    if (member !== undefined) setOwn(copy, name.toWellFormed(), storable(member));
  }
  return copy;
}
