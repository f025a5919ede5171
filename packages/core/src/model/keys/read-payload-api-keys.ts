import { TroupeError } from "../../base/errors/troupe-error.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { checkApiKey } from "./api-keys.ts";
import type { RequestApiKeys } from "./read-key-headers.ts";

/** The fields of a message in which a client sends API keys, with unchecked values. */
export type PayloadKeys = { readonly apiKey?: unknown; readonly apiKeys?: unknown };

/** The form of a provider id that a client may name. */
const providerIdForm = /^[a-z][\w.-]{0,63}$/i;

const mostKeys = 32;

/**
 * Reads the API keys of a message for a transport without headers: `apiKey`, the generic key, and `apiKeys`, an object
 * of keys by `providerId`. A key of the message takes precedence over the same key of `connection`, such as a
 * handshake. Throws `invalid_request` for a malformed key or provider id, and for more than 32 keys.
 */
export function readPayloadApiKeys(
  { apiKey, apiKeys }: PayloadKeys,
  connection: RequestApiKeys = { apiKeys: {} },
): RequestApiKeys {
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
