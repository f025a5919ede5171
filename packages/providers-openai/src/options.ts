import { TroupeError } from "@troupe/core";
import type { EmbeddingProviderOptions, ModelProviderOptions } from "@troupe/core";
import {
  booleanOption,
  arrayOf,
  nested,
  nonBlankString,
  oneOf,
  optional,
  customOption,
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
import { openaiVendor } from "./vendor.ts";
import type { Vendor } from "./vendor.ts";

/**
 * A client of OpenAI's SDK, described by the methods that are called: an `OpenAI` or `AzureOpenAI`, or such a client
 * wrapped by instrumentation. `baseURL` identifies the server, for its rules.
 */
export type OpenAIClient = {
  readonly baseURL?: string;
  chat: { completions: { create(body: never, options?: never): PromiseLike<unknown> } };
  responses: { create(body: never, options?: never): PromiseLike<unknown> };
};

/** A client of OpenAI's SDK for embeddings, described by the one method that is called. */
export type OpenAIEmbeddingsClient = {
  readonly baseURL?: string;
  embeddings: { create(body: never, options?: never): PromiseLike<unknown> };
};

/** Options of models and embeddings that concern their server. */
type ServerOptions = {
  /**
   * The key for calls without their own key, or a function that returns it for each call. @default `OPENAI_API_KEY`,
   * read at each call; for servers other than OpenAI only with `useEnvironmentKey`
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, with its version. @default "https://api.openai.com/v1" */
  baseURL?: string | undefined;
  /** Milliseconds to wait for the first byte of an unstreamed answer. @default 600_000 */
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
  baseURL: optional(customOption<string>("an http: or https: address without credentials", isPlainAddress)),
  timeoutMs: optional(timeoutOption, 600_000),
} satisfies Partial<OptionTable<ServerOptions>>;

const ruleTable = {
  reasoning: optional(booleanOption),
  efforts: optional(arrayOf("efforts", oneOf("none", "minimal", "low", "medium", "high", "xhigh"))),
  reasoningSummary: optional(booleanOption),
  reasoningWithTools: optional(booleanOption),
  reasoningStyle: optional(oneOf("effort", "openrouter", "groq")),
  sampling: optional(booleanOption),
  stop: optional(booleanOption),
  strict: optional(booleanOption),
  jsonSchema: optional(booleanOption),
  jsonObject: optional(booleanOption),
  maxTokensField: optional(oneOf("max_completion_tokens", "max_tokens")),
  names: optional(booleanOption),
  parts: optional(arrayOf("kinds of parts", oneOf("image", "audio", "file"))),
  cacheKey: optional(booleanOption),
  toolChoice: optional(oneOf("named", "required", "any")),
  shortCallIds: optional(booleanOption),
  seedField: optional(oneOf("seed", "random_seed")),
  reasoningApart: optional(booleanOption),
} satisfies OptionTable<ModelRules>;

/** The checks of `OpenAIOptions`. The presets use them too, and add checks of their own. */
export const modelOptionTable = {
  ...modelProviderOptionTable,
  ...serverTable,
  api: optional(oneOf("auto", "responses", "chat"), "auto"),
  rules: optional(nested(ruleTable)),
  client: optional(clientOption<OpenAIClient>("a client of openai", "chat.completions.create", "responses.create")),
} satisfies OptionTable<OpenAIOptions>;

const embeddingsTable = {
  ...embeddingProviderOptionTable,
  ...serverTable,
  model: optional(nonBlankString(), "text-embedding-3-small"),
  client: optional(clientOption<OpenAIEmbeddingsClient>("a client of openai", "embeddings.create")),
} satisfies OptionTable<OpenAIEmbeddingsOptions>;

const checkModelId = nonBlankString();

/** The settings of a model, returned by `readModelOptions`: the checked options with defaults, and all abilities. */
export type ProviderSettings = Omit<ProviderSettingsOf<typeof modelOptionTable>, "rules"> & {
  vendor: Vendor;
  modelId: string;
  baseURL: string;
  /** The host name in the base URL. */
  host: string;
  rules: ModelRules;
};

/** Checks the arguments of `openai` and adds the defaults. Throws `invalid_config` for a wrong or unknown option. */
export function readModelOptions(modelId: string, options: OpenAIOptions): ProviderSettings {
  return readVendorOptions({ vendor: openaiVendor, modelId }, options);
}

/** The model of a preset. `family`: the id of the model whose rules apply, if `modelId` does not reveal it. */
type VendorModel = { readonly vendor: Vendor; readonly modelId: string; readonly family?: string | undefined };

/** Checks the arguments of a preset as {@link readModelOptions} does. */
export function readVendorOptions(model: VendorModel, options: OpenAIOptions): ProviderSettings {
  const { vendor, modelId, family = modelId } = model;
  const owner = vendor.id;
  checkModelId(modelId, "modelId", { owner });
  const { rules, ...settings } = readProviderOptions(modelOptionTable, options, { owner });
  const baseURL = addressOf(settings, vendor);
  const host = new URL(baseURL).hostname;
  return {
    ...settings,
    vendor,
    modelId,
    baseURL,
    host,
    rules: rulesOf({ id: family, host }, { ...vendor.rules, ...rules }),
  };
}

/** The settings of embeddings, returned by `readEmbeddingsOptions`: the checked options with defaults. */
export type EmbeddingsSettings = ProviderSettingsOf<typeof embeddingsTable> &
  Pick<ProviderSettings, "baseURL" | "host">;

/**
 * Checks the options of `openaiEmbeddings` and adds the defaults. Throws `invalid_config` for a wrong or unknown
 * option.
 */
export function readEmbeddingsOptions(options: OpenAIEmbeddingsOptions): EmbeddingsSettings {
  const settings = readProviderOptions(embeddingsTable, options, { owner: "openaiEmbeddings" });
  const baseURL = addressOf(settings, openaiVendor);
  return { ...settings, baseURL, host: new URL(baseURL).hostname };
}

type Address = { baseURL?: string | undefined; client?: { baseURL?: string } | undefined };

/** Returns the URL of the API, with its version: the given URL, else the URL of the client, else the vendor's own. */
function addressOf({ baseURL, client }: Address, vendor: Vendor): string {
  const known = baseURL ?? client?.baseURL;
  if (known !== undefined && URL.canParse(known)) return known;
  if (vendor.baseURL !== undefined) return vendor.baseURL;
  throw new TroupeError("invalid_config", `${vendor.id} needs baseURL, the URL of the API with its version.`);
}

function isPlainAddress(address: unknown): boolean {
  const url = typeof address === "string" ? URL.parse(address) : null;
  return /^https?:$/.test(url?.protocol ?? "") && url?.username === "" && url.password === "";
}
