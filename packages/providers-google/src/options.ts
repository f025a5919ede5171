import type { EmbeddingProviderOptions, Logger, ModelProviderOptions } from "@troupe/core";
import { baseUrlOption, loggerOption, optional } from "@troupe/core/kit";
import type { ModelRules } from "./model-rules.ts";

/** The id of this provider, which errors contain and under which callers send its key. */
export const providerId = "google";

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

/** Options of models and embeddings that concern their server. */
type ServerOptions = {
  /**
   * The key for calls without their own key, or a function that returns it. @default `GOOGLE_API_KEY`, else
   * `GEMINI_API_KEY`, read at each call; for servers other than Google only with `useEnvironmentKey`
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, without its version. @default "https://generativelanguage.googleapis.com" */
  baseURL?: string | undefined;
};

/** Options of `google`, which creates a model. All have defaults. */
export type GoogleOptions = ServerOptions & ModelProviderOptions<GeminiClient, ModelRules>;

/** Options of `googleEmbeddings`, which turns texts into vectors. All have defaults. */
export type GoogleEmbeddingsOptions = ServerOptions &
  EmbeddingProviderOptions<GeminiEmbeddingsClient> & {
    /**
     * The id of the model. If the vendor has shut the default model down, `gemini-embedding-001` replaces it. @default
     * "text-embedding-004"
     */
    model?: string | undefined;
    /** Milliseconds to wait for each batch of texts. @default 600_000 */
    timeoutMs?: number | undefined;
    /** Receives a warning if another model replaces the default one. @default silent */
    logger?: Logger | undefined;
  };

const serverTable = { baseURL: optional(baseUrlOption, "https://generativelanguage.googleapis.com") };

/** Checks of the model options that `google` has in addition to the options of `vertex`. */
export const modelTable = serverTable;

/** Checks of the embeddings options that `google` has in addition to the options of `vertex`. */
export const embeddingsTable = { ...serverTable, logger: optional(loggerOption) };
