import type { Logger } from "@troupe/core";
import {
  anyBoolean,
  apiKeyOption,
  arrayOf,
  integer,
  loggerOption,
  nested,
  nonBlankString,
  oneOf,
  optional,
  readOptions,
  satisfying,
  timeoutMilliseconds,
} from "@troupe/core/adapter";
import type { OptionTable } from "@troupe/core/adapter";
import type { ModelRules } from "./model-rules.ts";

/** Options of models and embeddings. */
type ConnectionOptions = {
  /** The key for calls without their own. @default at OpenAI itself `OPENAI_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, with its version. @default "https://api.openai.com/v1" */
  baseURL?: string | undefined;
  /** Milliseconds to wait for the first byte of an answer that is not streamed. @default 600_000 */
  timeoutMs?: number | undefined;
};

/** Options of `openai`, which creates a model. All have defaults. */
export type OpenAIOptions = ConnectionOptions & {
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
  /** @default "text-embedding-3-small" */
  model?: string | undefined;
  /** The length of the vectors, for models that can shorten them. @default the full length of the model */
  dimensions?: number | undefined;
};

/** The default of `baseURL`: the URL of OpenAI's own API, with its version. */
export const openAIBaseURL = "https://api.openai.com/v1";

const connectionTable = {
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
  api: optional(oneOf("auto", "responses", "chat")),
  idleTimeoutMs: optional(timeoutMilliseconds),
  rules: optional(nested(ruleTable)),
  logger: optional(loggerOption),
} satisfies OptionTable<OpenAIOptions>;

const embeddingsTable = {
  ...connectionTable,
  model: optional(nonBlankString()),
  dimensions: optional(integer(1)),
} satisfies OptionTable<OpenAIEmbeddingsOptions>;

const checkModelId = nonBlankString();

/**
 * Checks the arguments of `openai` and returns the options without adding defaults. Throws `invalid_config` for a wrong
 * or unknown one.
 */
export function readModelOptions(modelId: string, options: OpenAIOptions): OpenAIOptions {
  const where = { owner: "openai" };
  checkModelId(modelId, "modelId", where);
  return readOptions(modelTable, options, where);
}

/**
 * Checks the options of `openaiEmbeddings` without adding defaults. Throws `invalid_config` for a wrong or unknown one.
 */
export function readEmbeddingsOptions(options: OpenAIEmbeddingsOptions): OpenAIEmbeddingsOptions {
  return readOptions(embeddingsTable, options, { owner: "openaiEmbeddings" });
}

function isPlainAddress(address: unknown): boolean {
  const url = typeof address === "string" ? URL.parse(address) : null;
  return /^https?:$/.test(url?.protocol ?? "") && url?.username === "" && url.password === "";
}
