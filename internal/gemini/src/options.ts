import type { EmbeddingProviderOptions, ModelProviderOptions } from "@troupe/core";
import {
  booleanOption,
  integerOption,
  nested,
  oneOf,
  optional,
  customOption,
  timeoutOption,
  wrongOption,
} from "@troupe/core/kit";
import {
  clientOption,
  embeddingProviderOptionTable,
  modelProviderOptionTable,
  readProviderOptions,
} from "@troupe/core/provider";
import type { OptionCheck, OptionTable } from "@troupe/core/kit";
import type { ProviderOptionContext, ProviderSettingsOf } from "@troupe/core/provider";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";

/**
 * A client of `@google/genai`, described by the methods that are called: a `GoogleGenAI`, or a client wrapped by
 * instrumentation.
 */
export type GeminiClient = {
  models: {
    generateContent(parameters: never): PromiseLike<unknown>;
    generateContentStream(parameters: never): PromiseLike<unknown>;
  };
};

/**
 * A client of `@google/genai` for embeddings, described by the one method that is called: a `GoogleGenAI`, or a wrapped
 * client.
 */
export type GeminiEmbeddingsClient = { models: { embedContent(parameters: never): PromiseLike<unknown> } };

/** Options of both `google` and `vertex` that concern their server. */
type ServerOptions = { apiKey?: string | (() => string | Promise<string>) | undefined; baseURL?: string | undefined };

/** The options that users pass to both `google` and `vertex`, before `readModelOptions` checks them. */
type GeminiOptions = ServerOptions & ModelProviderOptions<GeminiClient, ModelRules>;

/**
 * The options that users pass to both `googleEmbeddings` and `vertexEmbeddings`, before `readEmbeddingsOptions` checks
 * them.
 */
type GeminiEmbeddingsOptions = ServerOptions &
  EmbeddingProviderOptions<GeminiEmbeddingsClient> & { model?: string | undefined; timeoutMs?: number | undefined };

const thinkingLevel = oneOf("minimal", "low", "medium", "high");

const ruleTable = {
  thinking: optional(oneOf("level", "budget", "none")),
  thinkingLevels: optional(checkLevels),
  leastThinkingBudget: optional(integerOption(0)),
  mostThinkingBudget: optional(integerOption(1)),
  signatures: optional(booleanOption),
  formatWithTools: optional(booleanOption),
  mediaInResults: optional(booleanOption),
} satisfies OptionTable<ModelRules>;

const optionTable = {
  ...modelProviderOptionTable,
  rules: optional(nested(ruleTable)),
  client: optional(
    clientOption<GeminiClient>("a GoogleGenAI", "models.generateContent", "models.generateContentStream"),
  ),
} satisfies OptionTable<GeminiOptions>;

// The id of a model is checked, because it becomes part of a URL.
const checkModelId = customOption<string>(
  "the id of a model",
  (value) => typeof value === "string" && /^[\w@-][\w./:@-]*$/.test(value) && !value.includes(".."),
);

const embeddingsTable = {
  ...embeddingProviderOptionTable,
  model: optional(checkModelId),
  timeoutMs: optional(timeoutOption, 600_000),
  client: optional(clientOption<GeminiEmbeddingsClient>("a GoogleGenAI", "models.embedContent")),
} satisfies OptionTable<GeminiEmbeddingsOptions>;

type Checks = Readonly<Record<string, OptionCheck<unknown>>>;

/** Names for errors, and checks (`more`) of options that only one of the providers `google` and `vertex` has. */
type Own<More extends Checks> = ProviderOptionContext & { more: More };

/** The settings of a model, returned by `readModelOptions`: the checked options with defaults, and all abilities. */
export type ProviderSettings = Omit<ProviderSettingsOf<typeof optionTable>, "rules"> & {
  modelId: string;
  rules: ModelRules;
};

/**
 * Checks the arguments of `google` or `vertex` and adds the defaults. Throws `invalid_config` for a wrong or unknown
 * option.
 */
export function readModelOptions<More extends Checks>(
  modelId: string,
  options: object,
  { more, ...names }: Own<More>,
): ProviderSettings & ProviderSettingsOf<More> {
  checkModelId(modelId, "modelId", names);
  const read = readProviderOptions({ ...optionTable, ...more }, options, names);
  const { rules, ...settings } = read as ProviderSettingsOf<typeof optionTable> & ProviderSettingsOf<More>;
  return { ...settings, modelId, rules: rulesOf(modelId, rules) } as ProviderSettings & ProviderSettingsOf<More>;
}

/** The settings of embeddings, returned by `readEmbeddingsOptions`: the checked options with defaults. */
export type EmbeddingsSettings = ProviderSettingsOf<typeof embeddingsTable>;

/**
 * Checks the options of `googleEmbeddings` or `vertexEmbeddings` and adds the defaults. Throws `invalid_config` for a
 * wrong or unknown option.
 */
export function readEmbeddingsOptions<More extends Checks>(
  options: object,
  { more, ...names }: Own<More>,
): EmbeddingsSettings & ProviderSettingsOf<More> {
  return readProviderOptions({ ...embeddingsTable, ...more }, options, names) as EmbeddingsSettings &
    ProviderSettingsOf<More>;
}

function checkLevels(...[value, name, where]: Parameters<OptionCheck<unknown>>): ModelRules["thinkingLevels"] {
  if (!Array.isArray(value) || value.length === 0) {
    throw wrongOption({ ...where, name }, "an array of levels that is not empty", value);
  }
  return value.map((level, index) => thinkingLevel(level, `${name}[${index}]`, where));
}
