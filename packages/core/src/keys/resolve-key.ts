import { joinNames } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { getOwn } from "../util/get-own.ts";
import { checkApiKey } from "./api-keys.ts";
import { vendorKeyHeaders } from "./key-headers.ts";

/** Sources of a provider's key, in this order: the call, the configuration, the environment. */
export type KeySources = {
  providerId: string;
  /** Key of the call. */
  request?: string | undefined;
  /** Key in the options of the provider. */
  config?: string | undefined;
  /** Names of environment variables, of which the first one that is set counts. */
  environment?: readonly string[];
};

/** A key and its origin: the caller has to mend a refused key only if it came with the call. */
export type ResolvedKey = { readonly value: string; readonly fromCaller: boolean };

/**
 * Returns the key for a call to a vendor from the first source that has one, or `undefined`. Throws for a malformed
 * key: `invalid_request` if it came with the call, else `invalid_config`. Reads the environment each time.
 */
export function resolveKey({ request, config, environment = [] }: KeySources): ResolvedKey | undefined {
  if (request !== undefined) return { value: checkApiKey(request, "apiKey of the call"), fromCaller: true };
  if (config !== undefined) {
    return { value: checkApiKey(config, "apiKey of the provider's options", "invalid_config"), fromCaller: false };
  }
  // An empty variable counts as unset.
  const name = environment.find((each) => (process.env[each] ?? "") !== "");
  if (name === undefined) return undefined;
  const where = `the environment variable ${name}`;
  return { value: checkApiKey(process.env[name], where, "invalid_config"), fromCaller: false };
}

/**
 * Returns the key for a call to a vendor that needs one, as `resolveKey` does. Without any it throws `unauthorized`,
 * with the ways to give one.
 */
export function requireKey(sources: KeySources): ResolvedKey {
  const key = resolveKey(sources);
  if (key !== undefined) return key;
  const { providerId, environment = [] } = sources;
  const header = getOwn(vendorKeyHeaders, providerId);
  const ways = [
    ...(header === undefined ? [] : [`send the header ${header}`]),
    "pass apiKey",
    ...environment.map((name) => `set ${name}`),
  ];
  throw new TroupeError("unauthorized", `${providerId} needs an API key: ${joinNames(ways, "or")}.`, {
    fields: { vendor: providerId },
  });
}
