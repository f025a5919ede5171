import { createLogger, TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import {
  arrayOf,
  booleanOption,
  functionOption,
  integerOption,
  loggerOption,
  nonBlankString,
  oneOf,
  optional,
  readObject,
  readOptions,
  timeoutOption,
} from "@troupe/core/kit";
import type { OptionTable } from "@troupe/core/kit";
import { providerIdOf } from "./vendors.ts";

/**
 * A language model of the AI SDK, reduced to the members that are used: a `LanguageModelV3` or `LanguageModelV4`. The
 * result of `wrapLanguageModel` is accepted too.
 */
export type AiSdkLanguageModel = {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls?: unknown;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
};

/** An embedding model of the AI SDK, reduced to the members that are used: an `EmbeddingModelV3` or `V4`. */
export type AiSdkEmbeddingModel = {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall?: unknown;
  doEmbed(options: never): PromiseLike<unknown>;
};

/** Options of `fromAiSdk` that apply to language models and to embedding models. */
type SharedOptions<Model> = {
  /**
   * The vendor's id, used in errors and for the keys that callers send. @default the first part of the model's
   * `provider`: "mistral" for "mistral.chat"
   */
  providerId?: string | undefined;
  /**
   * Creates the same model with the API key of a caller. @default the key replaces the model's own key in the request
   * header; models of vendors without such a header reject a caller's key
   */
  withKey?: ((apiKey: string) => Model) | undefined;
  /** Milliseconds to wait for a whole answer. @default 600_000 */
  timeoutMs?: number | undefined;
};

/** Options of `fromAiSdk` for a language model. All have defaults. */
export type AiSdkOptions = SharedOptions<AiSdkLanguageModel> & {
  /** Milliseconds to wait for the first part of a stream, and between parts. @default 60_000 */
  idleTimeoutMs?: number | undefined;
  /**
   * The kinds of content besides text that the model accepts. Others are rejected. @default ["image", "audio",
   * "file"]
   */
  parts?: readonly ("image" | "audio" | "file")[] | undefined;
  /**
   * `true` sends URLs of images and files to the vendor for fetching, even if they lead to private addresses or local
   * names. @default false
   */
  allowPrivateUrls?: boolean | undefined;
  /** Receives, at level debug, the settings that are omitted from requests. @default silent */
  logger?: Logger | undefined;
};

/** Options of `fromAiSdk` for an embedding model. All have defaults. */
export type AiSdkEmbeddingOptions = SharedOptions<AiSdkEmbeddingModel> & {
  /** The length of the vectors, for models that support several. Needs a model of specification v4. */
  dimensions?: number | undefined;
};

const sharedTable = {
  providerId: optional(nonBlankString()),
  timeoutMs: optional(timeoutOption, 600_000),
};

const optionTable = {
  ...sharedTable,
  withKey: optional(functionOption<(apiKey: string) => AiSdkLanguageModel>()),
  idleTimeoutMs: optional(timeoutOption, 60_000),
  parts: optional(arrayOf("kinds of parts", oneOf("image", "audio", "file"))),
  allowPrivateUrls: optional(booleanOption, false),
  logger: optional(loggerOption),
} satisfies OptionTable<AiSdkOptions>;

const embeddingTable = {
  ...sharedTable,
  withKey: optional(functionOption<(apiKey: string) => AiSdkEmbeddingModel>()),
  dimensions: optional(integerOption(1)),
} satisfies OptionTable<AiSdkEmbeddingOptions>;

const owner = "fromAiSdk";

/** The checked options of a language model with their defaults, returned by `readModelOptions`. */
export type ModelSettings = ReturnType<typeof readModelOptions>;

/** Checks a language model and its options. Throws `invalid_config` for a wrong model or option. */
export function readModelOptions(model: AiSdkLanguageModel, options: AiSdkOptions) {
  checkModel(model);
  const settings = readOptions(optionTable, options, { owner });
  return {
    ...settings,
    providerId: settings.providerId ?? providerIdOf(model.provider),
    logger: settings.logger ?? createLogger(),
  };
}

/** The checked options of an embedding model with their defaults, returned by `readEmbeddingOptions`. */
export type EmbeddingSettings = ReturnType<typeof readEmbeddingOptions>;

/** Checks an embedding model and its options. Throws `invalid_config` for a wrong model or option. */
export function readEmbeddingOptions(model: AiSdkEmbeddingModel, options: AiSdkEmbeddingOptions) {
  checkModel(model);
  const settings = readOptions(embeddingTable, options, { owner });
  if (settings.dimensions !== undefined && model.specificationVersion === "v3") {
    throw new TroupeError("invalid_config", "dimensions needs a model of specification v4 of the AI SDK, got v3.");
  }
  return { ...settings, providerId: settings.providerId ?? providerIdOf(model.provider) };
}

const versions: readonly unknown[] = ["v3", "v4"];

/** Throws `invalid_config` for a value that is not a model of a supported specification. */
export function checkModel(model: AiSdkLanguageModel | AiSdkEmbeddingModel): void {
  const { specificationVersion: version, provider, modelId } = readObject(model);
  if (typeof provider !== "string" || typeof modelId !== "string") {
    const message = 'fromAiSdk needs a model of the AI SDK, such as openai("gpt-6.1-sol") of @ai-sdk/openai.';
    throw new TroupeError("invalid_config", message);
  }
  if (versions.includes(version)) return;
  const found = typeof version === "string" && /^v\d+$/.test(version) ? version : "another";
  const message = `fromAiSdk needs a model of specification v3 or v4 (ai 6 or 7), got ${found}. Update its package.`;
  throw new TroupeError("invalid_config", message);
}
