/** A JSON object with unknown fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns true for a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, else an empty object. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Returns the objects in an array, or an empty array for anything else. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns the value if it is a string, else `undefined`. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the value if it is a string, else an empty string. */
export function stringOrEmpty(value: unknown): string {
  return stringOf(value) ?? "";
}
