/** Returns true if a value is an object and neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object whose fields have not been checked. */
export type UnknownRecord = Readonly<Record<string, unknown>>;
