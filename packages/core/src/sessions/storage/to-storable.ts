import { maxJsonDepth } from "../../base/util/clean-json.ts";
import { setOwn } from "../../base/util/set-own.ts";

/**
 * Copies a value for storing. Replaces unpaired surrogates, turns class instances into plain objects, and drops members
 * that are `undefined` or named by symbols. Models, vendors and tools produce such values, and a turn must not be lost
 * because of them. Values that are not JSON, such as infinite numbers, stay.
 */
export function toStorable<Value>(value: Value): Value {
  return storable(value, Infinity) as Value;
}

/**
 * Copies a value as `toStorable` does, and replaces content that no storage accepts by null. That is an infinite
 * number, a value that is not JSON, or a value nested deeper than 64 levels.
 *
 * @param above the nesting levels that the record adds around the value
 */
export function forceStorable<Value>(value: Value, above = 0): Value {
  return storable(value, maxJsonDepth - above) as Value;
}

/** @param depth the remaining levels; with `Infinity` no values are replaced */
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

// A plain loop: every turn is copied here, and `Object.entries` would cost several times as much.
function storableMembers(record: Record<string, unknown>, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(record)) {
    const member = record[name];
    if (member !== undefined) setOwn(copy, name.toWellFormed(), storable(member, depth));
  }
  return copy;
}
