import { commonTable, modelIdOption } from "@troupe-internal/gemini";
import type { Logger } from "@troupe/core";
import { integer, optional, readOptions, timeoutMilliseconds } from "@troupe/core/adapter";
import type { OptionTable } from "@troupe/core/adapter";

/** Options of `googleEmbeddings`, which turns texts into vectors. All have defaults. */
export type GoogleEmbeddingsOptions = {
  /** The key for calls without their own. @default `GOOGLE_API_KEY`, else `GEMINI_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, without its version. @default "https://generativelanguage.googleapis.com" */
  baseURL?: string | undefined;
  /** The model. Where the default one is shut down, `gemini-embedding-001` takes its place. @default "text-embedding-004" */
  model?: string | undefined;
  /** The length of the vectors, for models that can shorten them. @default the full length of the model */
  dimensions?: number | undefined;
  /** Milliseconds to wait for each batch of texts. @default 600_000 */
  timeoutMs?: number | undefined;
  /** Receives a warning when another model takes the place of the default one. @default silent */
  logger?: Logger | undefined;
};

const optionTable = {
  ...commonTable,
  model: optional(modelIdOption),
  dimensions: optional(integer(1)),
  timeoutMs: optional(timeoutMilliseconds),
} satisfies OptionTable<GoogleEmbeddingsOptions>;

/**
 * Checks the options of `googleEmbeddings` without adding defaults. Throws `invalid_config` for a wrong or unknown one.
 */
export function readEmbeddingsOptions(options: GoogleEmbeddingsOptions): GoogleEmbeddingsOptions {
  return readOptions(optionTable, options, { owner: "googleEmbeddings" });
}
