import { createLogger } from "@troupe/core";
import type { Logger, NetworkOptions } from "@troupe/core";
import {
  anyBoolean,
  apiKeyOption,
  baseUrlOption,
  checkClientOptions,
  clientOption,
  integer,
  loggerOption,
  nested,
  networkOptions,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  timeoutMilliseconds,
  wrongOption,
} from "@troupe/core/adapter";
import type { OptionCheck, OptionTable } from "@troupe/core/adapter";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

/**
 * A client of Anthropic's SDK, by the one method that is called: an `Anthropic`, `AnthropicBedrock` or
 * `AnthropicVertex`, or one that an instrumentation wrapped.
 */
export type AnthropicClient = { messages: { create(body: never, options?: never): PromiseLike<unknown> } };

/** The option `promptCache`: off, or the time for which the vendor keeps tools and instructions in its prompt cache. */
export type PromptCache = false | { ttl: "5m" | "1h" };

/** Options of `anthropic`, which creates a model. All have defaults. */
export type AnthropicOptions = NetworkOptions & {
  /** A client of Anthropic's SDK that sends the requests, with its own address, key and network. @default our own HTTP */
  client?: AnthropicClient | undefined;
  /** The key for calls without their own, or a function that returns it for each call. @default `ANTHROPIC_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, without `/v1`. @default "https://api.anthropic.com" */
  baseURL?: string | undefined;
  /** The header that carries the key. Some gateways know only the old `x-api-key`. @default "authorization" */
  keyHeader?: "authorization" | "x-api-key" | undefined;
  /** Milliseconds to wait for the first byte, and between chunks. @default 60_000 */
  idleTimeoutMs?: number | undefined;
  /**
   * Marks for the vendor's prompt cache: `false` for none, or the time for which tools and instructions stay in it. The
   * last turns stay for 5 minutes. @default { ttl: "5m" }
   */
  promptCache?: PromptCache | undefined;
  /** Abilities of the model that the table does not know or has wrong. */
  rules?: Partial<ModelRules> | undefined;
  /** Receives at level debug the settings that are left out because the model does not take them. @default silent */
  logger?: Logger | undefined;
};

/**
 * The settings of an Anthropic model that `readModelOptions` returns: checked options, with defaults and all abilities.
 */
export type ProviderSettings = {
  modelId: string;
  apiKey: AnthropicOptions["apiKey"];
  client: AnthropicClient | undefined;
  network: NetworkOptions;
  baseURL: string;
  keyHeader: "authorization" | "x-api-key";
  idleTimeoutMs: number;
  promptCache: PromptCache;
  rules: ModelRules;
  logger: Logger;
};

const ruleTable = {
  thinking: optional(oneOf("adaptive", "budget", "none")),
  sampling: optional(anyBoolean),
  forcedTools: optional(anyBoolean),
  structuredOutput: optional(anyBoolean),
  maxOutputTokens: optional(integer(1)),
} satisfies OptionTable<ModelRules>;

const checkTtl = nested({ ttl: oneOf("5m", "1h") });

const optionTable = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption, "https://api.anthropic.com"),
  keyHeader: optional(oneOf("authorization", "x-api-key"), "authorization"),
  idleTimeoutMs: optional(timeoutMilliseconds, 60_000),
  promptCache: optional(checkPromptCache, { ttl: "5m" as const }),
  rules: optional(nested(ruleTable)),
  logger: optional(loggerOption),
  client: optional(clientOption<AnthropicClient>("a client of @anthropic-ai/sdk", "messages.create")),
  ...networkOptions,
} satisfies OptionTable<AnthropicOptions>;

const where = { owner: "anthropic" };
const checkModelId = nonBlankString();

/** Options that a client has of its own. */
const ownOfClient = [
  "apiKey",
  "baseURL",
  "keyHeader",
  "idleTimeoutMs",
  "headers",
  "fetch",
  "proxy",
  "dispatcher",
] as const;

/** Checks the arguments of `anthropic` and adds the defaults. Throws `invalid_config` for a wrong or unknown one. */
export function readModelOptions(modelId: string, options: AnthropicOptions): ProviderSettings {
  const read = readOptions(optionTable, options, where);
  checkClientOptions(options, ownOfClient);
  const { apiKey, client, rules, logger = createLogger(), headers, fetch, proxy, dispatcher, ...settings } = read;
  return {
    ...settings,
    modelId: checkModelId(modelId, "modelId", where),
    apiKey,
    client,
    network: { headers, fetch, proxy, dispatcher },
    rules: rulesOf(modelId, rules),
    logger,
  };
}

function checkPromptCache(...[value, name, place]: Parameters<OptionCheck<unknown>>): PromptCache {
  if (value === false) return false;
  if (typeof value === "object" && value !== null) return checkTtl(value, name, place);
  throw wrongOption({ ...place, name }, 'false or { ttl: "5m" | "1h" }', value);
}
