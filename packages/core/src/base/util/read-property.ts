/**
 * Returns a property, own or inherited, of any value without ever throwing, or `undefined`: primitives have none, and a
 * getter that throws counts as absent.
 */
export function readProperty(value: unknown, key: PropertyKey): unknown {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return undefined;
  try {
    return (value as Record<PropertyKey, unknown>)[key];
  } catch {
    return undefined;
  }
}
