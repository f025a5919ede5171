import { booleanOption, integerOption, optional, customOption, timeoutOption } from "../base/errors/option-checks.ts";
import { readOptions } from "../base/errors/read-options.ts";
import type { OptionCheck, OptionsOf } from "../base/errors/read-options.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { isApiKey, maxKeyLength } from "../model/keys/api-keys.ts";
import type { ApiKeySource } from "../model/keys/resolve-key.ts";
import { silentLogger, loggerOption } from "../base/log/logger.ts";
import type { Logger } from "../base/log/logger.ts";
import { readProperty } from "../base/util/read-property.ts";
import { Network, networkOptionTable } from "./network.ts";
import type { NetworkOptions } from "./network.ts";

/**
 * Options of every model provider, except its key and address. `Client` is a client of the vendor's library; `Rules`
 * are the abilities of a model.
 */
export type ModelProviderOptions<Client, Rules> = NetworkOptions & {
  /**
   * A client of the vendor's library that sends the requests, with its own address, key and network. @default Troupe's
   * own HTTP
   */
  client?: Client | undefined;
  /**
   * `true` also sends the key of the environment to a `baseURL` that is not the vendor's own. @default false: the
   * environment's key is sent only to the vendor's own hosts
   */
  useEnvironmentKey?: boolean | undefined;
  /** Milliseconds to wait for the first byte of a stream, and between chunks. @default 60_000 */
  idleTimeoutMs?: number | undefined;
  /** Abilities of the model that are missing or wrong in Troupe's table. */
  rules?: Partial<Rules> | undefined;
  /**
   * `true` sends URLs of images and files to the vendor for fetching, even if they lead to private addresses or local
   * names.
   * @default false: such a part is rejected, or replaced by a note in earlier messages and tool results
   */
  allowPrivateUrls?: boolean | undefined;
  /**
   * Receives, at level debug, the settings that are omitted because the model does not support them. @default silent
   */
  logger?: Logger | undefined;
};

/**
 * Options of every embedding provider, except its key, address and model. `Client` is a client of the vendor's library.
 */
export type EmbeddingProviderOptions<Client> = NetworkOptions & {
  /**
   * `true` also sends the key of the environment to a `baseURL` that is not the vendor's own. @default false: the
   * environment's key is sent only to the vendor's own hosts
   */
  useEnvironmentKey?: boolean | undefined;
  /**
   * A client of the vendor's library that sends the requests, with its own address, key and network. @default Troupe's
   * own HTTP
   */
  client?: Client | undefined;
  /** The length of the vectors, for models that can shorten them. @default the model's full length */
  dimensions?: number | undefined;
};

const apiKeyOption: OptionCheck<ApiKeySource> = customOption(
  `a string of 1 to ${maxKeyLength} visible ASCII characters without spaces, or a function that returns one`,
  (value) => typeof value === "function" || isApiKey(value),
);

/**
 * Option check for `baseURL` of a provider: an http: or https: URL without credentials, query or fragment. A slash at
 * its end is removed.
 */
export const baseUrlOption: OptionCheck<string> = (...given) => addressOption(...given).replace(/\/+$/, "");

const addressOption: OptionCheck<string> = customOption(
  "an http: or https: address without credentials, query or fragment",
  (value) => {
    const url = typeof value === "string" ? URL.parse(value) : null;
    const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
    return isWeb && [url.username, url.password, url.search, url.hash].every((part) => part === "");
  },
);

/**
 * Makes the option check for `client` of a provider: an object with these methods, each given by its path. `what`
 * describes it in the error: `clientOption<OpenAIClient>("a client of openai", "responses.create")`.
 */
export function clientOption<Client>(what: string, ...paths: readonly string[]): OptionCheck<Client> {
  return customOption(`${what}, with ${paths.join(" and ")}`, (value) =>
    paths.every((path) => typeof path.split(".").reduce<unknown>(readProperty, value) === "function"),
  );
}

/**
 * Option checks that every model provider shares, such as `apiKey` and `baseURL`, but without `client` and `rules`. A
 * provider's table repeats `baseURL` if it has a default.
 */
export const modelProviderOptionTable = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption),
  useEnvironmentKey: optional(booleanOption),
  idleTimeoutMs: optional(timeoutOption, 60_000),
  allowPrivateUrls: optional(booleanOption, false),
  logger: optional(loggerOption),
  ...networkOptionTable,
};

/** Option checks that every embedding provider shares, such as `apiKey` and `baseURL`, but without `client`. */
export const embeddingProviderOptionTable = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption),
  useEnvironmentKey: optional(booleanOption),
  dimensions: optional(integerOption(1)),
  ...networkOptionTable,
};

/** Checked options of a provider with their defaults. Key, headers and proxy are part of the network. */
export type ProviderSettingsOf<Checks extends Readonly<Record<string, OptionCheck<unknown>>>> = Omit<
  OptionsOf<Checks>,
  keyof NetworkOptions | "apiKey" | "useEnvironmentKey" | "logger"
> & { network: Network; logger: Logger };

/**
 * Names for `readProviderOptions`: the function whose options are checked, and the options that have no effect if
 * `client` is given.
 */
export type ProviderOptionContext = { owner: string; withoutEffect?: readonly string[] };

/**
 * Checks the options of a provider by its table, and makes its network. Throws `invalid_config` for a wrong or unknown
 * option. If `client` is given, also throws for an option that then has no effect, because the client has its own
 * settings: the network options, the key, and the options that the provider names.
 */
export function readProviderOptions<Checks extends Readonly<Record<string, OptionCheck<unknown>>>>(
  table: Checks,
  options: object,
  { owner, withoutEffect = [] }: ProviderOptionContext,
): ProviderSettingsOf<Checks> {
  const read: Record<string, unknown> = readOptions(table, options, { owner });
  if (read["client"] !== undefined) refuseBesideClient(options, [...ownOfClient, ...withoutEffect]);
  const settings: Record<string, unknown> = { network: new Network(read), logger: silentLogger };
  for (const name in read) if (!ownOfNetwork.has(name)) settings[name] = read[name];
  return settings as never;
}

const ownOfNetwork: ReadonlySet<string> = new Set([
  "apiKey",
  "useEnvironmentKey",
  "headers",
  "fetch",
  "proxy",
  "dispatcher",
]);
const ownOfClient = ["apiKey", "useEnvironmentKey", "baseURL", "headers", "fetch", "proxy", "dispatcher"];

function refuseBesideClient(options: object, names: readonly string[]): void {
  const vain = names.filter((name) => readProperty(options, name) !== undefined);
  if (vain.length === 0) return;
  const sentence = `${vain.join(", ")} would have no effect beside client. Set it on the client, or leave client out.`;
  throw new TroupeError("invalid_config", sentence);
}
