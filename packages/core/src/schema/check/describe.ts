import { type SchemaIssue, shorten } from "../schema-issue.ts";
import type { Failure, ValuePath } from "./check-run.ts";

const maxExpected = 120;
const maxString = 40;

/** Converts a failure to the issue that a caller receives, with a message such as "expected string, got number 3". */
export function toIssue({ path, expected, value }: Failure): SchemaIssue {
  return { path: toSegments(path), message: shorten(`expected ${expected}, got ${describeValue(value)}`), expected };
}

/** Describes the type or values that a schema accepts, as words that follow "expected". */
export function describeSchema(schema: unknown): string {
  if (typeof schema !== "object" || schema === null) return "a value";
  const { type, enum: values, const: constant } = schema as Record<string, unknown>;
  if (constant !== undefined) return describeChoice([constant]);
  if (Array.isArray(values)) return describeChoice(values);
  if (typeof type === "string") return type;
  return Array.isArray(type) ? type.join(" or ") : "a value";
}

/** Lists accepted values as JSON, as words that follow "expected": `"a"`, or `one of "a", "b"`. */
export function describeChoice(values: readonly unknown[]): string {
  const choice = values.map((value) => JSON.stringify(value) ?? "a value").join(", ");
  return shorten(values.length === 1 ? choice : `one of ${choice}`, maxExpected);
}

/**
 * Returns the JSON type of a value, as in the keyword `type`. An integer is a "number". A value that is not JSON
 * (`NaN`, a function) has its own type name.
 */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value === undefined ? "nothing" : typeof value;
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value === "string") return `string ${JSON.stringify(shorten(value, maxString))}`;
  const type = typeOf(value);
  return type === "number" || type === "boolean" ? `${type} ${String(value)}` : type;
}

function toSegments(path: ValuePath): (string | number)[] {
  const segments: (string | number)[] = [];
  for (let at = path; at !== undefined; at = at.parent) segments.unshift(at.key);
  return segments;
}
