import { anyBoolean, integer, optional, satisfying, timeoutMilliseconds } from "../base/errors/option-checks.ts";
import { readOptions } from "../base/errors/read-options.ts";
import type { OptionCheck, OptionsOf } from "../base/errors/read-options.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { isApiKey, maxKeyLength } from "../model/keys/api-keys.ts";
import type { ApiKeySource } from "../model/keys/resolve-key.ts";
import { createLogger, loggerOption } from "../base/log/logger.ts";
import type { Logger } from "../base/log/logger.ts";
import { readProperty } from "../base/util/read-property.ts";
import { Network, networkOptions } from "./network.ts";
import type { NetworkOptions } from "./network.ts";

/** Options that every provider of models has, beside its key and its address. `Client` is a client of the vendor's library, `Rules` the abilities of a model. */
export type ModelProviderOptions<Client, Rules> = NetworkOptions & {
  /** A client of the vendor's library that sends the requests, with its own address, key and network. @default our own HTTP */
  client?: Client | undefined;
  /** Milliseconds to wait for the first byte of a stream, and between chunks. @default 60_000 */
  idleTimeoutMs?: number | undefined;
  /** Abilities of the model that the table does not know or has wrong. */
  rules?: Partial<Rules> | undefined;
  /**
   * `true` sends the vendor URLs of images and files that lead to private addresses or names of a local network, for it to fetch.
   * @default false: such a part is refused
   */
  allowPrivateUrls?: boolean | undefined;
  /** Receives at level debug the settings that are left out because the model does not take them. @default silent */
  logger?: Logger | undefined;
};

/** Options that every provider of embeddings has, beside its key, its address and its model. `Client` is a client of the vendor's library. */
export type EmbeddingProviderOptions<Client> = NetworkOptions & {
  /** A client of the vendor's library that sends the requests, with its own address, key and network. @default our own HTTP */
  client?: Client | undefined;
  /** The length of the vectors, for models that can shorten them. @default the full length of the model */
  dimensions?: number | undefined;
};

const apiKeyOption: OptionCheck<ApiKeySource> = satisfying(
  `a string of 1 to ${maxKeyLength} visible ASCII characters without spaces, or a function that returns one`,
  (value) => typeof value === "function" || isApiKey(value),
);

/** Check of the option `baseURL` of a provider: an http: or https: URL without credentials, query or fragment. It is read without a slash at its end. */
export const baseUrlOption: OptionCheck<string> = (...given) => addressOption(...given).replace(/\/+$/, "");

const addressOption: OptionCheck<string> = satisfying(
  "an http: or https: address without credentials, query or fragment",
  (value) => {
    const url = typeof value === "string" ? URL.parse(value) : null;
    const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
    return isWeb && [url.username, url.password, url.search, url.hash].every((part) => part === "");
  },
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

/** Checks of `apiKey`, `baseURL` and what else every provider of models has, beside `client` and `rules`, for its option table. A table repeats `baseURL` where it has a default. */
export const modelProviderChecks = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption),
  idleTimeoutMs: optional(timeoutMilliseconds, 60_000),
  allowPrivateUrls: optional(anyBoolean, false),
  logger: optional(loggerOption),
  ...networkOptions,
};

/** Checks of `apiKey`, `baseURL` and what else every provider of embeddings has, beside `client`, for its option table. */
export const embeddingProviderChecks = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption),
  dimensions: optional(integer(1)),
  ...networkOptions,
};

/** Checked options of a provider with their defaults. The network has what sends its requests: key, headers, proxy. */
export type SettingsOf<Checks extends Readonly<Record<string, OptionCheck<unknown>>>> = Omit<
  OptionsOf<Checks>,
  keyof NetworkOptions | "apiKey" | "logger"
> & { network: Network; logger: Logger };

/** Names for `readProviderOptions`: of the function whose options they are, and of those that have no effect beside `client`. */
export type OptionNames = { owner: string; withoutEffect?: readonly string[] };

/**
 * Checks the options of a provider by its table, and makes its network. Throws `invalid_config` for a wrong or unknown
 * option, and for one that has no effect beside `client`, which sends the requests by its own settings: those of the network and
 * the key, and the ones that the provider names.
 */
export function readProviderOptions<Checks extends Readonly<Record<string, OptionCheck<unknown>>>>(
  table: Checks,
  options: object,
  { owner, withoutEffect = [] }: OptionNames,
): SettingsOf<Checks> {
  const read: Record<string, unknown> = readOptions(table, options, { owner });
  if (read["client"] !== undefined) refuseBesideClient(options, [...ownOfClient, ...withoutEffect]);
  const { apiKey: _, headers: __, fetch: ___, proxy: ____, dispatcher: _____, ...settings } = read;
  return { ...settings, network: new Network(read), logger: read["logger"] ?? createLogger() } as never;
}

const ownOfClient = ["apiKey", "baseURL", "headers", "fetch", "proxy", "dispatcher"];

function refuseBesideClient(options: object, names: readonly string[]): void {
  const vain = names.filter((name) => readProperty(options, name) !== undefined);
  if (vain.length === 0) return;
  const sentence = `${vain.join(", ")} would have no effect beside client. Set it on the client, or leave client out.`;
  throw new TroupeError("invalid_config", sentence);
}
