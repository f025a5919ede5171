import { TroupeError } from "../errors/troupe-error.ts";
import { checkApiKey } from "./api-keys.ts";
import type { ApiKeys } from "./api-keys.ts";
import { genericKeyHeader, vendorKeyHeaders } from "./key-headers.ts";

/** Headers as servers give them: names in any case, values alone or in lists. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Where else a request may carry a key, and what the host keeps for itself. */
export type ReadKeysOptions = {
  /** `false` leaves `x-api-key` to the host's own authentication. @default true */
  genericApiKeyHeader?: boolean;
  /** The field `apiKey` of the body or payload: the generic key when the header has none. */
  bodyKey?: unknown;
};

/** The keys of a request: those meant for a vendor, and the one for whatever vendor is called. Fits into `RunOpts`. */
export type CarriedKeys = { apiKeys: ApiKeys; apiKey?: string };

/** Reads the keys that a request carries. A key that cannot be one, or comes twice, is an `invalid_request`. */
export function readKeyHeaders(headers: RequestHeaders, options: ReadKeysOptions = {}): CarriedKeys {
  const { genericApiKeyHeader = true, bodyKey } = options;
  const apiKeys: Record<string, string> = {};
  for (const [providerId, header] of Object.entries(vendorKeyHeaders)) {
    const key = readKey(headers, header);
    if (key !== undefined) apiKeys[providerId] = key;
  }
  const inHeader = genericApiKeyHeader ? readKey(headers, genericKeyHeader) : undefined;
  const inBody = bodyKey === undefined ? undefined : checkApiKey(bodyKey, "the field apiKey");
  const apiKey = inHeader ?? inBody;
  return apiKey === undefined ? { apiKeys } : { apiKeys, apiKey };
}

function readKey(headers: RequestHeaders, header: string): string | undefined {
  const names = Object.keys(headers).filter((name) => name.toLowerCase() === header);
  const values = names.flatMap((name) => headers[name] ?? []);
  if (values.length > 1) throw new TroupeError("invalid_request", `The header ${header} must be sent once.`);
  return values.length === 0 ? undefined : checkApiKey(values[0], `the header ${header}`);
}
