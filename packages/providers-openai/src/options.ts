import type { Logger, NetworkOptions } from "@troupe/core";
import {
  anyBoolean,
  apiKeyOption,
  arrayOf,
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
  satisfying,
  timeoutMilliseconds,
} from "@troupe/core/adapter";
import type { OptionTable } from "@troupe/core/adapter";
import type { ModelRules } from "./model-rules.ts";

/** The id of this provider, which errors name and under which callers send its key. */
export const providerId = "openai";

/**
 * A client of OpenAI's SDK, by the methods that are called: an `OpenAI` or `AzureOpenAI`, or one that an instrumentation
 * wrapped. `baseURL` tells the server, for its rules.
 */
export type OpenAIClient = {
  readonly baseURL?: string;
  chat: { completions: { create(body: never, options?: never): PromiseLike<unknown> } };
  responses: { create(body: never, options?: never): PromiseLike<unknown> };
};

/** A client of OpenAI's SDK for embeddings, by the one method that is called. */
export type OpenAIEmbeddingsClient = {
  readonly baseURL?: string;
  embeddings: { create(body: never, options?: never): PromiseLike<unknown> };
};

/** Options of models and embeddings. */
type ConnectionOptions = NetworkOptions & {
  /** The key for calls without their own, or a function that returns it for each call. @default at OpenAI itself `OPENAI_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, with its version. @default "https://api.openai.com/v1" */
  baseURL?: string | undefined;
  /** Milliseconds to wait for the first byte of an answer that is not streamed. @default 600_000 */
  timeoutMs?: number | undefined;
};

/** Options of `openai`, which creates a model. All have defaults. */
export type OpenAIOptions = ConnectionOptions & {
  /** A client of OpenAI's SDK that sends the requests, with its own address, key and network. @default our own HTTP */
  client?: OpenAIClient | undefined;
  /** The API to use. `auto`: Responses at OpenAI itself, Chat Completions at other servers. @default "auto" */
  api?: "auto" | "responses" | "chat" | undefined;
  /** Milliseconds to wait for the first byte of a stream, and between chunks. @default 60_000 */
  idleTimeoutMs?: number | undefined;
  /** Abilities of the model that the table does not know or has wrong. */
  rules?: Partial<ModelRules> | undefined;
  /** Receives at level debug the settings that are left out because the model does not take them. @default silent */
  logger?: Logger | undefined;
};

/** Options of `openaiEmbeddings`, which turns texts into vectors. All have defaults. */
export type OpenAIEmbeddingsOptions = ConnectionOptions & {
  /** A client of OpenAI's SDK that sends the requests, with its own address, key and network. @default our own HTTP */
  client?: OpenAIEmbeddingsClient | undefined;
  /** @default "text-embedding-3-small" */
  model?: string | undefined;
  /** The length of the vectors, for models that can shorten them. @default the full length of the model */
  dimensions?: number | undefined;
};

/** Returns the URL of the API, with its version: the given one, else that of the client, else OpenAI's own. */
export function addressOf({
  baseURL,
  client,
}: {
  baseURL?: string | undefined;
  client?: { baseURL?: string } | undefined;
}): string {
  const known = baseURL ?? client?.baseURL;
  return known !== undefined && URL.canParse(known) ? known : "https://api.openai.com/v1";
}

const connectionTable = {
  ...networkOptions,
  apiKey: optional(apiKeyOption),
  baseURL: optional(satisfying<string>("an http: or https: address without credentials", isPlainAddress)),
  timeoutMs: optional(timeoutMilliseconds),
} satisfies OptionTable<ConnectionOptions>;

const ruleTable = {
  reasoning: optional(anyBoolean),
  efforts: optional(arrayOf("efforts", oneOf("none", "minimal", "low", "medium", "high", "xhigh"))),
  reasoningSummary: optional(anyBoolean),
  reasoningWithTools: optional(anyBoolean),
  reasoningStyle: optional(oneOf("effort", "openrouter", "groq")),
  sampling: optional(anyBoolean),
  stop: optional(anyBoolean),
  strict: optional(anyBoolean),
  jsonSchema: optional(anyBoolean),
  jsonObject: optional(anyBoolean),
  maxTokensField: optional(oneOf("max_completion_tokens", "max_tokens")),
  names: optional(anyBoolean),
  parts: optional(arrayOf("kinds of parts", oneOf("image", "audio", "file"))),
  cacheKey: optional(anyBoolean),
} satisfies OptionTable<ModelRules>;

const modelTable = {
  ...connectionTable,
  client: optional(clientOption<OpenAIClient>("a client of openai", "chat.completions.create", "responses.create")),
  api: optional(oneOf("auto", "responses", "chat")),
  idleTimeoutMs: optional(timeoutMilliseconds),
  rules: optional(nested(ruleTable)),
  logger: optional(loggerOption),
} satisfies OptionTable<OpenAIOptions>;

const embeddingsTable = {
  ...connectionTable,
  client: optional(clientOption<OpenAIEmbeddingsClient>("a client of openai", "embeddings.create")),
  model: optional(nonBlankString()),
  dimensions: optional(integer(1)),
} satisfies OptionTable<OpenAIEmbeddingsOptions>;

/** Options that a client has of its own. */
const ownOfClient = ["apiKey", "baseURL", "timeoutMs", "headers", "fetch", "proxy", "dispatcher"] as const;

const checkModelId = nonBlankString();

/**
 * Checks the arguments of `openai` and returns the options without adding defaults. Throws `invalid_config` for a wrong
 * or unknown one.
 */
export function readModelOptions(modelId: string, options: OpenAIOptions): OpenAIOptions {
  const where = { owner: "openai" };
  checkModelId(modelId, "modelId", where);
  const read = readOptions(modelTable, options, where);
  checkClientOptions(read, [...ownOfClient, "idleTimeoutMs"]);
  return read;
}

/**
 * Checks the options of `openaiEmbeddings` without adding defaults. Throws `invalid_config` for a wrong or unknown one.
 */
export function readEmbeddingsOptions(options: OpenAIEmbeddingsOptions): OpenAIEmbeddingsOptions {
  const read = readOptions(embeddingsTable, options, { owner: "openaiEmbeddings" });
  checkClientOptions(read, ownOfClient);
  return read;
}

function isPlainAddress(address: unknown): boolean {
  const url = typeof address === "string" ? URL.parse(address) : null;
  return /^https?:$/.test(url?.protocol ?? "") && url?.username === "" && url.password === "";
}
