import { setOwn } from "../util/set-own.ts";

/**
 * Copies a value so that every storage can store it and return the same. Replaces unpaired surrogates, turns instances of
 * classes into plain objects, and drops symbols and `undefined`. Models, vendors and tools produce such values, and a turn
 * must not be lost because of them.
 */
export function toStorable<Value>(value: Value): Value {
  return storable(value) as Value;
}

function storable(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value.map(storable) : storableMembers(value as Record<string, unknown>);
}

// By hand, because arrays of entries cost several times as much and every turn goes through here.
function storableMembers(record: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    const member = record[name];
    if (member !== undefined) setOwn(copy, name.toWellFormed(), storable(member));
  }
  return copy;
}
