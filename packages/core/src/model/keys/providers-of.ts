import { readProperty } from "../../base/util/read-property.ts";

/**
 * Returns the ids of the providers of a runnable's models. A workflow may have several, and a third party's runnable
 * may have no models.
 */
export function providersOf(runnable: unknown): string[] {
  const several = readProperty(runnable, "providerIds");
  const ids: unknown[] = Array.isArray(several) ? several : [readProperty(runnable, "providerId")];
  return ids.filter((id) => typeof id === "string");
}
