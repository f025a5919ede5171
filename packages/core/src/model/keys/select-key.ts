import { getOwn } from "../../base/util/get-own.ts";
import { checkApiKey } from "./api-keys.ts";
import type { ApiKeys } from "./api-keys.ts";

/** Vendors that use the API key of another vendor, by vendor: `vertex` uses the key of `google`. */
const keyVendors: Readonly<Record<string, string>> = { vertex: "google" };

/**
 * Returns the API key of a provider from the keys of a caller, or `undefined`. It is the key under the provider's own
 * id, or the key of the vendor with which it shares keys (`google` for `vertex`).
 */
export function selectKey(keys: ApiKeys, providerId: string): string | undefined {
  return getOwn(keys, providerId) ?? getOwn(keys, vendorOf(providerId));
}

/**
 * Returns the API keys of a caller with the generic key added under the called vendor, unless that vendor has a key
 * already.
 */
export function bindGenericKey(keys: ApiKeys, generic: string | undefined, providerId: string): ApiKeys {
  const vendor = vendorOf(providerId);
  if (generic === undefined || getOwn(keys, vendor) !== undefined) return keys;
  return { ...keys, [vendor]: checkApiKey(generic, "apiKey") };
}

/** Returns the vendor whose API key a provider uses: its own id, unless it shares the key of another vendor. */
export function vendorOf(providerId: string): string {
  return getOwn(keyVendors, providerId) ?? providerId;
}
