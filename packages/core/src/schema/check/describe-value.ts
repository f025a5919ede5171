import { shorten } from "../schema-issue.ts";

const maxShown = 40;

/** The JSON type of a value. What JSON cannot hold (`NaN`, a function) has none of them, but a name of its own. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value === undefined ? "nothing" : typeof value;
}

/** Says what a value is, short enough for a sentence. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (typeof value === "string") return `string ${JSON.stringify(shorten(value, maxShown))}`;
  const type = typeOf(value);
  return type === "number" || type === "boolean" ? `${type} ${String(value)}` : type;
}
