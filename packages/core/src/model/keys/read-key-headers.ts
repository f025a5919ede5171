import { TroupeError } from "../../base/errors/troupe-error.ts";
import { checkApiKey } from "./api-keys.ts";
import type { ApiKeys } from "./api-keys.ts";
import { genericKeyHeader, isKeyHeader, vendorOfHeader } from "./key-headers.ts";

/**
 * Headers of a request, from which `readKeyHeaders` reads API keys for a transport. Names may have any case, and values
 * are strings or arrays, as servers provide them.
 */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Options of `readKeyHeaders`: the allowed sources of the generic key. */
export type ReadKeysOptions = {
  /** `false` leaves `x-api-key` to the host's own authentication. @default true */
  genericApiKeyHeader?: boolean;
  /** Field `apiKey` of the body or payload: the generic key if the header is absent. */
  bodyKey?: unknown;
};

/** API keys sent with a request: the keys of vendors, and the generic key. The type is assignable to `RunOpts`. */
export type RequestApiKeys = { apiKeys: ApiKeys; apiKey?: string };

/**
 * Reads the API keys of a request: the keys of vendors from headers such as `x-openai-api-key`, the generic key from
 * `x-api-key`, or else from `bodyKey`. Throws `invalid_request` for a malformed key, and for a header that is sent
 * twice.
 */
export function readKeyHeaders(headers: RequestHeaders, options: ReadKeysOptions = {}): RequestApiKeys {
  const { genericApiKeyHeader = true, bodyKey } = options;
  const sent = keyHeadersIn(headers);
  const apiKeys = sent === undefined ? {} : readVendorKeys(sent);
  const inHeader = sent !== undefined && genericApiKeyHeader ? readKey(sent, genericKeyHeader) : undefined;
  const inBody = bodyKey === undefined ? undefined : checkApiKey(bodyKey, "the field apiKey");
  const apiKey = inHeader ?? inBody;
  return apiKey === undefined ? { apiKeys } : { apiKeys, apiKey };
}

function readVendorKeys(sent: ReadonlyMap<string, string[]>): Record<string, string> {
  const apiKeys: Record<string, string> = {};
  for (const header of sent.keys()) {
    const vendor = vendorOfHeader(header);
    const key = vendor === undefined ? undefined : readKey(sent, header);
    if (vendor !== undefined && key !== undefined) apiKeys[vendor] = key;
  }
  return apiKeys;
}

function readKey(sent: ReadonlyMap<string, string[]>, header: string): string | undefined {
  const values = sent.get(header) ?? [];
  if (values.length > 1)
    throw new TroupeError("invalid_request", `The header ${header} was sent more than once. Send it once.`);
  return values.length === 0 ? undefined : checkApiKey(values[0], `the header ${header}`);
}

/** Finds the headers that contain API keys, in one pass. Returns undefined if there are none, as in most requests. */
function keyHeadersIn(headers: RequestHeaders): ReadonlyMap<string, string[]> | undefined {
  let sent: Map<string, string[]> | undefined;
  for (const name of Object.keys(headers)) {
    const header = name.toLowerCase();
    if (!isKeyHeader(header)) continue;
    sent ??= new Map<string, string[]>();
    sent.set(header, [...(sent.get(header) ?? []), ...[headers[name] ?? []].flat()]);
  }
  return sent;
}
