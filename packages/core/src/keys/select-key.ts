import { getOwn } from "../util/get-own.ts";
import { checkApiKey } from "./api-keys.ts";
import type { ApiKeys } from "./api-keys.ts";

/** Providers that take the key of another one. */
const keyVendors: Readonly<Record<string, string>> = { vertex: "google" };

/** The key for a provider: its own, else that of the vendor it belongs to. No other key is ever given. */
export function selectKey(keys: ApiKeys, providerId: string): string | undefined {
  return getOwn(keys, providerId) ?? getOwn(keys, vendorOf(providerId));
}

/**
 * Binds the generic key of a call to the vendor of what was called. A key that the caller named for that vendor comes
 * first, and from here on the generic one is that vendor's alone.
 */
export function bindGenericKey(keys: ApiKeys, generic: string | undefined, providerId: string): ApiKeys {
  const vendor = vendorOf(providerId);
  if (generic === undefined || getOwn(keys, vendor) !== undefined) return keys;
  return { ...keys, [vendor]: checkApiKey(generic, "apiKey") };
}

function vendorOf(providerId: string): string {
  return getOwn(keyVendors, providerId) ?? providerId;
}
