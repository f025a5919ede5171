import { getOwn } from "../../base/util/get-own.ts";
import { checkApiKey } from "./api-keys.ts";
import type { ApiKeys } from "./api-keys.ts";

/** Vendors of providers that use the key of another one. */
const keyVendors: Readonly<Record<string, string>> = { vertex: "google" };

/**
 * Returns the key of a provider from the keys of a caller, or `undefined`: the one under its own id, else the one of
 * the vendor whose key it shares (`google` for `vertex`).
 */
export function selectKey(keys: ApiKeys, providerId: string): string | undefined {
  return getOwn(keys, providerId) ?? getOwn(keys, vendorOf(providerId));
}

/**
 * Returns the keys of a caller with the generic key added under the vendor that is called, unless they have one for it.
 */
export function bindGenericKey(keys: ApiKeys, generic: string | undefined, providerId: string): ApiKeys {
  const vendor = vendorOf(providerId);
  if (generic === undefined || getOwn(keys, vendor) !== undefined) return keys;
  return { ...keys, [vendor]: checkApiKey(generic, "apiKey") };
}

function vendorOf(providerId: string): string {
  return getOwn(keyVendors, providerId) ?? providerId;
}
