import type { EmbeddingProviderOptions, ModelProviderOptions } from "@troupe/core";
import {
  booleanOption,
  baseUrlOption,
  integerOption,
  nested,
  nonBlankString,
  oneOf,
  optional,
  timeoutOption,
} from "@troupe/core/kit";
import {
  clientOption,
  embeddingProviderOptionTable,
  modelProviderOptionTable,
  readProviderOptions,
} from "@troupe/core/provider";
import type { OptionTable } from "@troupe/core/kit";
import type { ProviderSettingsOf } from "@troupe/core/provider";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

/** The id of this provider, which errors contain and under which callers send its key. */
export const providerId = "ollama";

/**
 * A client of the package `ollama`, or such a client wrapped by instrumentation, described by the one method that is
 * called.
 */
export type OllamaClient = { chat(request: never): PromiseLike<unknown> };

/** A client of the package `ollama` for embeddings, described by the one method that is called. */
export type OllamaEmbeddingsClient = { embed(request: never): PromiseLike<unknown> };

/** Options of models and embeddings that concern their server. */
type ServerOptions = {
  /**
   * The key for calls without their own key, or a function that returns it for each call. @default none; at ollama.com
   * `OLLAMA_API_KEY`, read at each call
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the server. @default "http://127.0.0.1:11434" */
  baseURL?: string | undefined;
  /** Milliseconds to wait for the first byte; the server may have to load the model. @default 300_000 */
  timeoutMs?: number | undefined;
};

/** Options of `ollama`, which creates a model. All have defaults. */
export type OllamaOptions = ServerOptions &
  // The options for URLs are omitted, because an Ollama server fetches no URLs.
  Omit<ModelProviderOptions<OllamaClient, ModelRules>, "allowPrivateUrls"> & {
    /**
     * The context length in tokens. The server truncates longer conversations without an error. @default the server's
     * own
     */
    contextLength?: number | undefined;
  };

/** Options of `ollamaEmbeddings`, which turns texts into vectors. All have defaults. */
export type OllamaEmbeddingsOptions = ServerOptions & EmbeddingProviderOptions<OllamaEmbeddingsClient>;

const serverTable = {
  baseURL: optional(baseUrlOption, "http://127.0.0.1:11434"),
  timeoutMs: optional(timeoutOption, 300_000),
} satisfies Partial<OptionTable<ServerOptions>>;

const ruleTable = {
  thinking: optional(oneOf("levels", "switch", "none")),
  tools: optional(booleanOption),
} satisfies OptionTable<ModelRules>;

const { allowPrivateUrls: _, ...modelChecks } = modelProviderOptionTable;

const optionTable = {
  ...modelChecks,
  ...serverTable,
  contextLength: optional(integerOption(1)),
  rules: optional(nested(ruleTable)),
  client: optional(clientOption<OllamaClient>("a client of ollama", "chat")),
} satisfies OptionTable<OllamaOptions>;

const embeddingsTable = {
  ...embeddingProviderOptionTable,
  ...serverTable,
  client: optional(clientOption<OllamaEmbeddingsClient>("a client of ollama", "embed")),
} satisfies OptionTable<OllamaEmbeddingsOptions>;

const checkModelId = nonBlankString();

/** The settings of a model, returned by `readModelOptions`: the checked options with defaults, and all abilities. */
export type ProviderSettings = Omit<ProviderSettingsOf<typeof optionTable>, "rules"> & {
  modelId: string;
  rules: ModelRules;
};

/** Checks the arguments of `ollama` and adds the defaults. Throws `invalid_config` for a wrong or unknown option. */
export function readModelOptions(modelId: string, options: OllamaOptions): ProviderSettings {
  checkModelId(modelId, "modelId", { owner: providerId });
  const { rules, ...settings } = readProviderOptions(optionTable, options, { owner: providerId });
  return { ...settings, modelId, rules: rulesOf(modelId, rules) };
}

/** The settings of embeddings, returned by `readEmbeddingsOptions`: the checked options with defaults. */
export type EmbeddingsSettings = ProviderSettingsOf<typeof embeddingsTable> & { model: string };

/**
 * Checks the arguments of `ollamaEmbeddings` and adds the defaults. Throws `invalid_config` for a wrong or unknown
 * option.
 */
export function readEmbeddingsOptions(model: string, options: OllamaEmbeddingsOptions): EmbeddingsSettings {
  const owner = "ollamaEmbeddings";
  checkModelId(model, "model", { owner });
  return { ...readProviderOptions(embeddingsTable, options, { owner }), model };
}
