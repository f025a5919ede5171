import { untilAborted } from "../../base/async/until-aborted.ts";
import { joinNames } from "../../base/errors/read-options.ts";
import { scrubbedCause } from "../../base/errors/scrubbed-cause.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { checkApiKey } from "./api-keys.ts";
import { keyHeaderOf } from "./key-headers.ts";
import { readEnvironment } from "./read-environment.ts";
import { vendorOf } from "./select-key.ts";
import { cutText } from "../../base/util/cut-text.ts";

/**
 * The option `apiKey` of a provider: a key, or a function that returns the key of one model call, such as a token that
 * expires.
 */
export type ApiKeySource = string | (() => string | Promise<string>);

/** Sources of a provider's API key, in this order: the call, the configuration, the environment. */
export type KeySources = {
  providerId: string;
  /** API key given with the call. */
  request?: string | undefined;
  /**
   * API key in the provider's options, or a function that returns the key. The function is called once for each call.
   */
  config?: ApiKeySource | undefined;
  /** Names of environment variables. The first that is set is used. */
  environment?: readonly string[] | undefined;
  /** Ends the wait for a function that returns an API key. */
  signal?: AbortSignal | undefined;
};

/** An API key and its origin: the caller must replace a refused key only if the key came with the call. */
export type ResolvedKey = { readonly value: string; readonly fromCaller: boolean };

/**
 * Returns the API key for a call to a vendor from the first source that has a key, or `undefined`. Rejects for a
 * malformed key: `invalid_request` if it came with the call, otherwise `invalid_config`. A failure of the key function
 * is `model_failed`. Each call reads the environment and calls the key function again.
 */
export async function resolveKey(sources: KeySources): Promise<ResolvedKey | undefined> {
  const { request, config, environment = [] } = sources;
  if (request !== undefined) return { value: checkApiKey(request, "apiKey of the call"), fromCaller: true };
  if (typeof config === "function") return { value: await callForKey(config, sources), fromCaller: false };
  if (config !== undefined) {
    return { value: checkApiKey(config, "apiKey of the provider's options", "invalid_config"), fromCaller: false };
  }
  const set = readEnvironment(...environment);
  if (set === undefined) return undefined;
  return { value: checkApiKey(set.value, `the environment variable ${set.name}`, "invalid_config"), fromCaller: false };
}

async function callForKey(source: () => string | Promise<string>, sources: KeySources): Promise<string> {
  const { providerId, signal } = sources;
  try {
    const key = await untilAborted(async () => await source(), signal);
    return checkApiKey(key, "the result of the function apiKey", "invalid_config");
  } catch (cause) {
    if (TroupeError.is(cause)) throw cause;
    throw new TroupeError("model_failed", `The function that returns the API key of ${providerId} failed.`, {
      // Requests and replies are removed from the copy of the cause, because they may contain credentials.
      cause: scrubbedCause(cause, { mask: (text, maxLength = Infinity) => cutText(text, maxLength), withText: true }),
    });
  }
}

/**
 * Returns the API key for a call to a vendor that requires a key, as `resolveKey` does. If there is no key, rejects
 * with `unauthorized` and explains how to pass a key.
 */
export async function requireKey(sources: KeySources): Promise<ResolvedKey> {
  const key = await resolveKey(sources);
  if (key !== undefined) return key;
  const { providerId, environment = [] } = sources;
  const ways = [
    `send the header ${keyHeaderOf(vendorOf(providerId))}`,
    "pass apiKey",
    ...environment.map((name) => `set ${name}`),
  ];
  throw new TroupeError("unauthorized", `${providerId} needs an API key: ${joinNames(ways, "or")}.`, {
    fields: { vendor: providerId },
  });
}
