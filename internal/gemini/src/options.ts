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
  oneOf,
  optional,
  readOptions,
  satisfying,
  timeoutMilliseconds,
  wrongOption,
} from "@troupe/core/adapter";
import type { OptionCheck, OptionTable } from "@troupe/core/adapter";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

/**
 * A client of `@google/genai`, by the methods that are called: a `GoogleGenAI`, or one that an instrumentation wrapped.
 */
export type GeminiClient = {
  models: {
    generateContent(parameters: never): PromiseLike<unknown>;
    generateContentStream(parameters: never): PromiseLike<unknown>;
  };
};

/** A client of `@google/genai` for embeddings, by the one method that is called: a `GoogleGenAI`, or a wrapped one. */
export type GeminiEmbeddingsClient = { models: { embedContent(parameters: never): PromiseLike<unknown> } };

/** The options for the address, the key and the network, which models and embeddings of `google` and `vertex` share. */
export type ConnectionOptions = NetworkOptions & {
  apiKey?: string | (() => string | Promise<string>) | undefined;
  baseURL?: string | undefined;
};

/** The options that users pass to both `google` and `vertex`, before `readModelOptions` checks them. */
export type GeminiOptions = ConnectionOptions & {
  client?: GeminiClient | undefined;
  idleTimeoutMs?: number | undefined;
  rules?: Partial<ModelRules> | undefined;
  logger?: Logger | undefined;
};

/** The checked options and defaults of `readModelOptions` that concern all calls of a model. */
export type ProviderSettings = {
  modelId: string;
  client: GeminiClient | undefined;
  idleTimeoutMs: number;
  rules: ModelRules;
  logger: Logger;
};

const thinkingLevel = oneOf("minimal", "low", "medium", "high");

const ruleTable = {
  thinking: optional(oneOf("level", "budget", "none")),
  thinkingLevels: optional(checkLevels),
  leastThinkingBudget: optional(integer(0)),
  mostThinkingBudget: optional(integer(1)),
  signatures: optional(anyBoolean),
  formatWithTools: optional(anyBoolean),
  mediaInResults: optional(anyBoolean),
} satisfies OptionTable<ModelRules>;

/** Checks of the options that Google's models and embeddings share. */
export const connectionTable = {
  ...networkOptions,
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption),
} satisfies OptionTable<ConnectionOptions>;

/** Options that a client has of its own. */
export const ownOfClient = ["apiKey", "baseURL", "headers", "fetch", "proxy", "dispatcher"] as const;

const optionTable = {
  ...connectionTable,
  client: optional(
    clientOption<GeminiClient>("a GoogleGenAI", "models.generateContent", "models.generateContentStream"),
  ),
  logger: optional(loggerOption),
  idleTimeoutMs: optional(timeoutMilliseconds, 60_000),
  rules: optional(nested(ruleTable)),
} satisfies OptionTable<GeminiOptions>;

/**
 * Check of the option for a model's id. The id becomes part of a URL, so an id with `..` or unusual characters is
 * `invalid_config`.
 */
export const modelIdOption = satisfying<string>(
  "the id of a model",
  (value) => typeof value === "string" && /^[\w@-][\w./:@-]*$/.test(value) && !value.includes(".."),
);

/**
 * Checks the options of `google` or `vertex` and adds the defaults. Throws `invalid_config` for a wrong or unknown one.
 * `vendor` is named in errors; `more` holds the checks of options that only this provider has.
 */
export function readModelOptions(
  modelId: string,
  options: GeminiOptions,
  { vendor, more = {} }: { vendor: string; more?: Readonly<Record<string, OptionCheck<unknown>>> },
): ProviderSettings {
  const where = { owner: vendor };
  modelIdOption(modelId, "modelId", where);
  const read = readOptions<typeof optionTable>({ ...optionTable, ...more }, options, where);
  checkClientOptions(options, [...ownOfClient, "idleTimeoutMs"]);
  const { client, idleTimeoutMs, rules, logger = createLogger() } = read;
  return { modelId, client, idleTimeoutMs, rules: rulesOf(modelId, rules), logger };
}

function checkLevels(...[value, name, where]: Parameters<OptionCheck<unknown>>): ModelRules["thinkingLevels"] {
  if (!Array.isArray(value) || value.length === 0) {
    throw wrongOption({ ...where, name }, "an array of levels that is not empty", value);
  }
  return value.map((level, index) => thinkingLevel(level, `${name}[${index}]`, where));
}

const embeddingsTable = {
  ...connectionTable,
  client: optional(clientOption<GeminiEmbeddingsClient>("a GoogleGenAI", "models.embedContent")),
  model: optional(modelIdOption),
  dimensions: optional(integer(1)),
  timeoutMs: optional(timeoutMilliseconds),
};

/**
 * Checks the options of `googleEmbeddings` or `vertexEmbeddings`, with `more` checks of those that only one of them has.
 * Throws `invalid_config` for a wrong or unknown one.
 */
export function readEmbeddingsOptions<Options extends { client?: GeminiEmbeddingsClient | undefined }>(
  options: Options,
  { owner, more }: { owner: string; more: Readonly<Record<string, OptionCheck<unknown>>> },
): Options {
  const read = readOptions({ ...embeddingsTable, ...more }, options, { owner });
  checkClientOptions<ConnectionOptions & { client?: unknown; timeoutMs?: number }>(options, [
    ...ownOfClient,
    "timeoutMs",
  ]);
  return read as Options;
}
