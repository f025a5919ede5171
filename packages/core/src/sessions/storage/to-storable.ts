import { maxJsonDepth } from "../../base/util/clean-json.ts";
import { setOwn } from "../../base/util/set-own.ts";

/**
 * Copies a value so that every storage can store it and return the same. Replaces unpaired surrogates, turns instances of
 * classes into plain objects, and drops symbols and `undefined`. Models, vendors and tools produce such values, and a turn
 * must not be lost because of them.
 */
export function toStorable<Value>(value: Value): Value {
  return storable(value, Infinity) as Value;
}

/**
 * Copies a value as `toStorable` does, and puts null in place of what no storage takes: numbers without end, values that
 * are no JSON, and what nests deeper than 64 levels.
 *
 * @param above the levels of the record that are above the value
 */
export function forceStorable<Value>(value: Value, above = 0): Value {
  return storable(value, maxJsonDepth - above) as Value;
}

/** @param depth the levels that are left; without end, nothing is replaced */
function storable(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
      return value.toWellFormed();
    case "object":
      if (value === null) return null;
      if (depth === 0) return null;
      return Array.isArray(value)
        ? value.map((item) => storable(item, depth - 1))
        : storableMembers(value as Record<string, unknown>, depth - 1);
    case "boolean":
      return value;
    default:
      return depth === Infinity || Number.isFinite(value) ? value : null;
  }
}

// By hand, because arrays of entries cost several times as much and every turn goes through here.
function storableMembers(record: Record<string, unknown>, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    const member = record[name];
    if (member !== undefined) setOwn(copy, name.toWellFormed(), storable(member, depth));
  }
  return copy;
}
