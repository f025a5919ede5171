import { TroupeError } from "../errors/troupe-error.ts";
import { getOwn } from "../util/get-own.ts";
import { checkApiKey } from "./api-keys.ts";
import { vendorKeyHeaders } from "./key-headers.ts";

/** Where a provider may find its key, in this order: the call, its own configuration, the environment. */
export type KeySources = {
  providerId: string;
  /** The key that came with the call. */
  request?: string | undefined;
  /** The key that the provider was made with. */
  config?: string | undefined;
  /** Names of environment variables: the first one that is set counts. */
  environment?: readonly string[];
};

/** A key, and whether it came with the call: a refused key of the caller's is the caller's to mend. */
export type ResolvedKey = { readonly value: string; readonly fromCaller: boolean };

/** Finds the key for a call, or `undefined`. The environment is read at the time of the call. */
export function resolveKey({ request, config, environment = [] }: KeySources): ResolvedKey | undefined {
  if (request !== undefined) return { value: checkApiKey(request, "apiKey of the call"), fromCaller: true };
  if (config !== undefined) {
    return { value: checkApiKey(config, "apiKey of the provider's options", "invalid_config"), fromCaller: false };
  }
  // A variable that is set to nothing is the usual way of unsetting one.
  const name = environment.find((each) => (process.env[each] ?? "") !== "");
  if (name === undefined) return undefined;
  const where = `the environment variable ${name}`;
  return { value: checkApiKey(process.env[name], where, "invalid_config"), fromCaller: false };
}

/** Finds the key for a call to a vendor that wants one; without one the call is `unauthorized`. */
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
  throw new TroupeError("unauthorized", `${providerId} needs an API key: ${listWords(ways)}.`, {
    fields: { vendor: providerId },
  });
}

function listWords(words: string[]): string {
  return [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((part) => part !== "").join(" or ");
}
