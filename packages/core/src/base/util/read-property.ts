/**
 * Returns a property, own or inherited, of any value, or `undefined`. Never throws: properties of primitives, and a
 * getter that throws, count as absent.
 */
export function readProperty(value: unknown, key: PropertyKey): unknown {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return undefined;
  try {
    return (value as Record<PropertyKey, unknown>)[key];
  } catch {
    return undefined;
  }
}
