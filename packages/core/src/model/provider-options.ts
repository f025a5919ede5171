import { satisfying } from "../errors/option-checks.ts";
import type { OptionCheck } from "../errors/read-options.ts";
import type { CallContext } from "../errors/to-model-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { isApiKey, maxKeyLength } from "../keys/api-keys.ts";
import type { ApiKeySource } from "../keys/resolve-key.ts";
import { readProperty } from "../util/read-property.ts";

/**
 * Check of the option `apiKey` of a model provider: a string of 1 to 16,384 visible ASCII characters without spaces, or a function
 * that returns one.
 */
export const apiKeyOption: OptionCheck<ApiKeySource> = satisfying(
  `a string of 1 to ${maxKeyLength} visible ASCII characters without spaces, or a function that returns one`,
  (value) => typeof value === "function" || isApiKey(value),
);

/**
 * Makes the check of the option `client` of a provider: an object with these methods, each named by its path. `what` names it in
 * the error: `clientOption<OpenAIClient>("a client of openai", "responses.create")`.
 */
export function clientOption<Client>(what: string, ...paths: readonly string[]): OptionCheck<Client> {
  return satisfying(`${what}, with ${paths.join(" and ")}`, (value) =>
    paths.every((path) => typeof path.split(".").reduce<unknown>(readProperty, value) === "function"),
  );
}

/**
 * Refuses options that have no effect beside `client`, which sends the requests by its own settings. `without` lists their names.
 * Throws `invalid_config`.
 */
export function checkClientOptions<Options extends { client?: unknown }>(
  options: Options,
  without: readonly (keyof Options & string)[],
): void {
  if (options.client === undefined) return;
  const vain = without.filter((name) => options[name] !== undefined);
  if (vain.length === 0) return;
  const sentence = `${vain.join(", ")} would have no effect beside client. Set it on the client, or leave client out.`;
  throw new TroupeError("invalid_config", sentence);
}

/** Context of a call over the client of the user, which has a key of its own. A key of the caller is `invalid_request`: it could not be used. */
export function openClientCall(
  providerId: string,
  { apiKey, signal }: { apiKey?: string | undefined; signal?: AbortSignal | undefined },
): CallContext {
  if (apiKey === undefined) return { providerId, signal };
  throw new TroupeError(
    "invalid_request",
    `${providerId} is called through a client with its own key. Send no API key.`,
  );
}

/** Check of the option `baseURL` of a model provider: an http: or https: URL without credentials, query or fragment. */
export const baseUrlOption: OptionCheck<string> = satisfying(
  "an http: or https: address without credentials, query or fragment",
  (value) => {
    const url = typeof value === "string" ? URL.parse(value) : null;
    const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
    return isWeb && [url.username, url.password, url.search, url.hash].every((part) => part === "");
  },
);
