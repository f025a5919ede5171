import { setOwn } from "../../base/util/set-own.ts";

/**
 * Makes a deep copy of the plain objects and arrays of a value, so that changing the copy does not change the value.
 * Class instances, which schema transformations create, are not copied.
 */
export function copyPlain<Value>(value: Value): Value {
  return copy(value) as Value;
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const record: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) setOwn(record, key, copy(part));
  return record;
}
