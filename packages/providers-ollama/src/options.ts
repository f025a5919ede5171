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
} from "@troupe/core/adapter";
import type { OptionTable } from "@troupe/core/adapter";
import type { ModelRules } from "./model-rules.ts";

/** A client of the package `ollama`, by the one method that is called, or one that an instrumentation wrapped. */
export type OllamaClient = { chat(request: never): PromiseLike<unknown> };

/** A client of the package `ollama` for embeddings, by the one method that is called. */
export type OllamaEmbeddingsClient = { embed(request: never): PromiseLike<unknown> };

/** Options of models and embeddings for their server. */
type ServerOptions = NetworkOptions & {
  /** The key for calls without their own, or a function that returns it for each call. @default none; at ollama.com `OLLAMA_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the server. @default "http://127.0.0.1:11434" */
  baseURL?: string | undefined;
};

/** Options of `ollamaEmbeddings`, which turns texts into vectors. All have defaults. */
export type OllamaEmbeddingsOptions = ServerOptions & {
  /** A client of the package `ollama` that sends the requests, with its own address and network. @default our own HTTP */
  client?: OllamaEmbeddingsClient | undefined;
  /** The length of the vectors, for models that can shorten them. @default the full length of the model */
  dimensions?: number | undefined;
  /** Milliseconds to wait for each batch of texts; the server may have to load the model. @default 300_000 */
  timeoutMs?: number | undefined;
};

/** Options of `ollama`, which creates a model. All have defaults. */
export type OllamaOptions = ServerOptions & {
  /** A client of the package `ollama` that sends the requests, with its own address and network. @default our own HTTP */
  client?: OllamaClient | undefined;
  /** The context length in tokens. The server truncates longer conversations without an error. @default that of the server */
  contextLength?: number | undefined;
  /** Milliseconds to wait for the first byte; the server may have to load the model. @default 300_000 */
  timeoutMs?: number | undefined;
  /** Milliseconds to wait between chunks. @default 60_000 */
  idleTimeoutMs?: number | undefined;
  /** Abilities of the model that are not known or wrong. */
  rules?: Partial<ModelRules> | undefined;
  /** Receives at level debug the settings that are left out because the model does not take them. @default silent */
  logger?: Logger | undefined;
};

/** The settings of an Ollama model that `readModelOptions` returns: checked options with their defaults. */
export type ProviderSettings = {
  apiKey: OllamaOptions["apiKey"];
  client: OllamaClient | undefined;
  network: NetworkOptions;
  baseURL: string;
  contextLength: number | undefined;
  timeoutMs: number;
  idleTimeoutMs: number;
  rules: Partial<ModelRules>;
  logger: Logger;
};

const ruleTable = {
  thinking: optional(oneOf("levels", "switch", "none")),
  tools: optional(anyBoolean),
} satisfies OptionTable<ModelRules>;

const serverTable = {
  apiKey: optional(apiKeyOption),
  baseURL: optional(baseUrlOption, "http://127.0.0.1:11434"),
  timeoutMs: optional(timeoutMilliseconds, 300_000),
};

const optionTable = {
  ...serverTable,
  contextLength: optional(integer(1)),
  idleTimeoutMs: optional(timeoutMilliseconds, 60_000),
  rules: optional(nested(ruleTable), {}),
  logger: optional(loggerOption),
  client: optional(clientOption<OllamaClient>("a client of ollama", "chat")),
  ...networkOptions,
} satisfies OptionTable<OllamaOptions>;

const embeddingsTable = {
  ...serverTable,
  dimensions: optional(integer(1)),
  client: optional(clientOption<OllamaEmbeddingsClient>("a client of ollama", "embed")),
  ...networkOptions,
} satisfies OptionTable<OllamaEmbeddingsOptions>;

/** Options that a client has of its own. */
const ownOfClient = ["apiKey", "baseURL", "timeoutMs", "headers", "fetch", "proxy", "dispatcher"] as const;

const where = { owner: "ollama" };
const checkModelId = nonBlankString();

/** Checks the arguments of `ollama` and adds the defaults. Throws `invalid_config` for a wrong or unknown one. */
export function readModelOptions(modelId: string, options: OllamaOptions): ProviderSettings {
  checkModelId(modelId, "modelId", where);
  const read = readOptions(optionTable, options, where);
  checkClientOptions(options, [...ownOfClient, "idleTimeoutMs"]);
  const {
    apiKey,
    client,
    contextLength,
    logger = createLogger(),
    headers,
    fetch,
    proxy,
    dispatcher,
    ...settings
  } = read;
  return { ...settings, apiKey, client, network: { headers, fetch, proxy, dispatcher }, contextLength, logger };
}

/** The settings of `ollamaEmbeddings`: checked options with their defaults. */
export type EmbeddingsSettings = Pick<ProviderSettings, "apiKey" | "network" | "baseURL" | "timeoutMs"> & {
  model: string;
  client: OllamaEmbeddingsClient | undefined;
  dimensions: number | undefined;
};

/** Checks the arguments of `ollamaEmbeddings` and adds the defaults. Throws `invalid_config` for a wrong or unknown one. */
export function readEmbeddingsOptions(model: string, options: OllamaEmbeddingsOptions): EmbeddingsSettings {
  const owner = { owner: "ollamaEmbeddings" };
  checkModelId(model, "model", owner);
  const read = readOptions(embeddingsTable, options, owner);
  checkClientOptions(options, ownOfClient);
  const { apiKey, client, dimensions, headers, fetch, proxy, dispatcher, ...settings } = read;
  return { ...settings, model, apiKey, client, dimensions, network: { headers, fetch, proxy, dispatcher } };
}
