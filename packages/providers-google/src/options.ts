import type { EmbeddingProviderOptions, Logger, ModelProviderOptions } from "@troupe/core";
import { baseUrlOption, loggerOption, optional } from "@troupe/core/kit";
import type { ModelRules } from "./model-rules.ts";

/** The id of this provider, which errors name and under which callers send its key. */
export const providerId = "google";

/** A client of `@google/genai`, by the methods that are called: a `GoogleGenAI`, or one that an instrumentation wrapped. */
export type GeminiClient = {
  models: {
    generateContent(parameters: never): PromiseLike<unknown>;
    generateContentStream(parameters: never): PromiseLike<unknown>;
  };
};

/** A client of `@google/genai` for embeddings, by the one method that is called: a `GoogleGenAI`, or a wrapped one. */
export type GeminiEmbeddingsClient = { models: { embedContent(parameters: never): PromiseLike<unknown> } };

/** Options of models and embeddings for their server. */
type ServerOptions = {
  /** The key for calls without their own, or a function that returns it. @default `GOOGLE_API_KEY`, else `GEMINI_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, without its version. @default "https://generativelanguage.googleapis.com" */
  baseURL?: string | undefined;
};

/** Options of `google`, which creates a model. All have defaults. */
export type GoogleOptions = ServerOptions & ModelProviderOptions<GeminiClient, ModelRules>;

/** Options of `googleEmbeddings`, which turns texts into vectors. All have defaults. */
export type GoogleEmbeddingsOptions = ServerOptions &
  EmbeddingProviderOptions<GeminiEmbeddingsClient> & {
    /** The model. Where the default one is shut down, `gemini-embedding-001` takes its place. @default "text-embedding-004" */
    model?: string | undefined;
    /** Milliseconds to wait for each batch of texts. @default 600_000 */
    timeoutMs?: number | undefined;
    /** Receives a warning when another model takes the place of the default one. @default silent */
    logger?: Logger | undefined;
  };

const serverTable = { baseURL: optional(baseUrlOption, "https://generativelanguage.googleapis.com") };

/** Checks of the options that the models of this provider have beside those of `vertex`. */
export const modelTable = serverTable;

/** Checks of the options that the embeddings of this provider have beside those of `vertex`. */
export const embeddingsTable = { ...serverTable, logger: optional(loggerOption) };
