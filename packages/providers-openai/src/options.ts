import type { EmbeddingProviderOptions, ModelProviderOptions } from "@troupe/core";
import {
  anyBoolean,
  arrayOf,
  nested,
  nonBlankString,
  oneOf,
  optional,
  satisfying,
  timeoutMilliseconds,
} from "@troupe/core/kit";
import { clientOption, embeddingProviderChecks, modelProviderChecks, readProviderOptions } from "@troupe/core/provider";
import type { OptionTable } from "@troupe/core/kit";
import type { SettingsOf } from "@troupe/core/provider";
import { rulesOf } from "./model-rules.ts";
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

/** Options of models and embeddings for their server. */
type ServerOptions = {
  /** The key for calls without their own, or a function that returns it for each call. @default at OpenAI itself `OPENAI_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, with its version. @default "https://api.openai.com/v1" */
  baseURL?: string | undefined;
  /** Milliseconds to wait for the first byte of an answer that is not streamed. @default 600_000 */
  timeoutMs?: number | undefined;
};

/** Options of `openai`, which creates a model. All have defaults. */
export type OpenAIOptions = ServerOptions &
  ModelProviderOptions<OpenAIClient, ModelRules> & {
    /** The API to use. `auto`: Responses at OpenAI itself, Chat Completions at other servers. @default "auto" */
    api?: "auto" | "responses" | "chat" | undefined;
  };

/** Options of `openaiEmbeddings`, which turns texts into vectors. All have defaults. */
export type OpenAIEmbeddingsOptions = ServerOptions &
  EmbeddingProviderOptions<OpenAIEmbeddingsClient> & {
    /** The id of the model. @default "text-embedding-3-small" */
    model?: string | undefined;
  };

const serverTable = {
  baseURL: optional(satisfying<string>("an http: or https: address without credentials", isPlainAddress)),
  timeoutMs: optional(timeoutMilliseconds, 600_000),
} satisfies Partial<OptionTable<ServerOptions>>;

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

const optionTable = {
  ...modelProviderChecks,
  ...serverTable,
  api: optional(oneOf("auto", "responses", "chat"), "auto"),
  rules: optional(nested(ruleTable)),
  client: optional(clientOption<OpenAIClient>("a client of openai", "chat.completions.create", "responses.create")),
} satisfies OptionTable<OpenAIOptions>;

const embeddingsTable = {
  ...embeddingProviderChecks,
  ...serverTable,
  model: optional(nonBlankString(), "text-embedding-3-small"),
  client: optional(clientOption<OpenAIEmbeddingsClient>("a client of openai", "embeddings.create")),
} satisfies OptionTable<OpenAIEmbeddingsOptions>;

const checkModelId = nonBlankString();

/** The settings of a model that `readModelOptions` returns: checked options with their defaults, and all abilities. */
export type ProviderSettings = Omit<SettingsOf<typeof optionTable>, "rules"> & {
  modelId: string;
  baseURL: string;
  rules: ModelRules;
};

/** Checks the arguments of `openai` and adds the defaults. Throws `invalid_config` for a wrong or unknown one. */
export function readModelOptions(modelId: string, options: OpenAIOptions): ProviderSettings {
  checkModelId(modelId, "modelId", { owner: providerId });
  const { rules, ...settings } = readProviderOptions(optionTable, options, { owner: providerId });
  const baseURL = addressOf(settings);
  const host = new URL(baseURL).hostname;
  return { ...settings, modelId, baseURL, rules: rulesOf({ id: modelId, host }, rules) };
}

/** The settings of embeddings that `readEmbeddingsOptions` returns: checked options with their defaults. */
export type EmbeddingsSettings = SettingsOf<typeof embeddingsTable> & { baseURL: string };

/** Checks the options of `openaiEmbeddings` and adds the defaults. Throws `invalid_config` for a wrong or unknown one. */
export function readEmbeddingsOptions(options: OpenAIEmbeddingsOptions): EmbeddingsSettings {
  const settings = readProviderOptions(embeddingsTable, options, { owner: "openaiEmbeddings" });
  return { ...settings, baseURL: addressOf(settings) };
}

type Address = { baseURL?: string | undefined; client?: { baseURL?: string } | undefined };

/** Returns the URL of the API, with its version: the given one, else that of the client, else OpenAI's own. */
function addressOf({ baseURL, client }: Address): string {
  const known = baseURL ?? client?.baseURL;
  return known !== undefined && URL.canParse(known) ? known : "https://api.openai.com/v1";
}

function isPlainAddress(address: unknown): boolean {
  const url = typeof address === "string" ? URL.parse(address) : null;
  return /^https?:$/.test(url?.protocol ?? "") && url?.username === "" && url.password === "";
}
