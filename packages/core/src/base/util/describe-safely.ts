/**
 * Describes a value in an error message: numbers and booleans as they are, other values by type, because they may be
 * secrets.
 */
export function describeSafely(value: unknown): string {
  if (value === null || ["number", "boolean", "undefined"].includes(typeof value)) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
