import type { Logger, NetworkOptions } from "@troupe/core";
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

/** Options of models and embeddings: the key, the address and the network. */
export type ConnectionOptions = NetworkOptions & {
  /** The key for calls without their own, or a function that returns it. @default `GOOGLE_API_KEY`, else `GEMINI_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, without its version. @default "https://generativelanguage.googleapis.com" */
  baseURL?: string | undefined;
};

/** Options of `google`, which creates a model. All have defaults. */
export type GoogleOptions = ConnectionOptions & {
  /** A `GoogleGenAI` that sends the requests, with its own address, key and network. @default our own HTTP */
  client?: GeminiClient | undefined;
  /** Milliseconds to wait for the first byte, and between chunks. @default 60_000 */
  idleTimeoutMs?: number | undefined;
  /** Abilities of the model that the table does not know or has wrong. */
  rules?: Partial<ModelRules> | undefined;
  /** Receives at level debug the settings that are left out because the model does not take them. @default silent */
  logger?: Logger | undefined;
};

/** Options of `googleEmbeddings`, which turns texts into vectors. All have defaults. */
export type GoogleEmbeddingsOptions = ConnectionOptions & {
  /** A `GoogleGenAI` that sends the requests, with its own address, key and network. @default our own HTTP */
  client?: GeminiEmbeddingsClient | undefined;
  /** The model. Where the default one is shut down, `gemini-embedding-001` takes its place. @default "text-embedding-004" */
  model?: string | undefined;
  /** The length of the vectors, for models that can shorten them. @default the full length of the model */
  dimensions?: number | undefined;
  /** Milliseconds to wait for each batch of texts. @default 600_000 */
  timeoutMs?: number | undefined;
  /** Receives a warning when another model takes the place of the default one. @default silent */
  logger?: Logger | undefined;
};
