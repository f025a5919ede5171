import { getOwn } from "../util/get-own.ts";
import { checkApiKey } from "./api-keys.ts";
import type { ApiKeys } from "./api-keys.ts";

/** Vendors of providers that use the key of another one. */
const keyVendors: Readonly<Record<string, string>> = { vertex: "google" };

/** Returns the key for a provider: its own, else the one of its vendor, and never another. */
export function selectKey(keys: ApiKeys, providerId: string): string | undefined {
  return getOwn(keys, providerId) ?? getOwn(keys, vendorOf(providerId));
}

/** Assigns the generic key of a call to the vendor that is called, unless the caller passed a key of that vendor. */
export function bindGenericKey(keys: ApiKeys, generic: string | undefined, providerId: string): ApiKeys {
  const vendor = vendorOf(providerId);
  if (generic === undefined || getOwn(keys, vendor) !== undefined) return keys;
  return { ...keys, [vendor]: checkApiKey(generic, "apiKey") };
}

function vendorOf(providerId: string): string {
  return getOwn(keyVendors, providerId) ?? providerId;
}
