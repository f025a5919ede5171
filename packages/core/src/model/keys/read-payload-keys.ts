import { TroupeError } from "../../base/errors/troupe-error.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { checkApiKey } from "./api-keys.ts";
import type { CarriedKeys } from "./read-key-headers.ts";

/** The fields of a message in which a client sends keys, with unchecked values. */
export type PayloadKeys = { readonly apiKey?: unknown; readonly apiKeys?: unknown };

/** The id of a provider, as far as a client may name one. */
const providerIdForm = /^[a-z][\w.-]{0,63}$/i;

const mostKeys = 32;

/**
 * Reads the API keys of a message for a transport without headers: `apiKey`, the generic one, and `apiKeys`, an object of keys
 * by `providerId`. Each comes before the same key of `connection`, such as of a handshake. Throws `invalid_request` for a
 * malformed one.
 */
export function readPayloadKeys(
  { apiKey, apiKeys }: PayloadKeys,
  connection: CarriedKeys = { apiKeys: {} },
): CarriedKeys {
  const generic = apiKey === undefined || apiKey === null ? connection.apiKey : checkApiKey(apiKey, "the field apiKey");
  const byVendor = apiKeys === undefined || apiKeys === null ? {} : readVendorKeys(apiKeys);
  return {
    apiKeys: { ...connection.apiKeys, ...byVendor },
    ...(generic !== undefined && { apiKey: generic }),
  };
}

function readVendorKeys(apiKeys: unknown): Record<string, string> {
  const entries = isRecord(apiKeys) ? Object.entries(apiKeys) : undefined;
  if (entries === undefined || entries.length > mostKeys || !entries.every(([id]) => providerIdForm.test(id))) {
    const message = `apiKeys must be an object of at most ${mostKeys} keys by the ids of providers, such as {"openai": "..."}.`;
    throw new TroupeError("invalid_request", message);
  }
  return Object.fromEntries(entries.map(([id, key]) => [id, checkApiKey(key, `the field apiKeys.${id}`)]));
}
