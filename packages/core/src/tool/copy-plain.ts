import { setOwn } from "../util/set-own.ts";

/**
 * Copies the plain objects and lists of a value, through and through: who gets the copy cannot change the value. Instances
 * of classes, which a schema's transformations make, are kept as they are.
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
