import { commonTable, modelIdOption } from "@troupe-internal/gemini";
import type { Logger } from "@troupe/core";
import { integer, optional, readOptions, timeoutMilliseconds } from "@troupe/core/adapter";
import type { OptionTable } from "@troupe/core/adapter";

/** How texts are embedded. */
export type GoogleEmbeddingsOptions = {
  /** The key for calls that bring none. @default the environment's `GOOGLE_API_KEY`, else `GEMINI_API_KEY`, at the time of the call */
  apiKey?: string;
  /** Where the interface is, without its version. @default "https://generativelanguage.googleapis.com" */
  baseURL?: string;
  /** The model; where the vendor has ended the default one, `gemini-embedding-001` takes its place. @default "text-embedding-004" */
  model?: string;
  /** The length of the vectors, for models that can shorten them. @default the model's own */
  dimensions?: number;
  /** The longest wait for each batch of texts. @default 600_000 */
  timeoutMs?: number;
  /** Told, at level warn, that another model has taken the place of the default one. @default silent */
  logger?: Logger;
};

const optionTable = {
  ...commonTable,
  model: optional(modelIdOption),
  dimensions: optional(integer(1)),
  timeoutMs: optional(timeoutMilliseconds),
} satisfies OptionTable<GoogleEmbeddingsOptions>;

/** Checks the options of embeddings. A wrong or unknown one is `invalid_config`. */
export function readEmbeddingsOptions(options: GoogleEmbeddingsOptions): GoogleEmbeddingsOptions {
  return readOptions(optionTable, options, { owner: "googleEmbeddings" });
}
