import { batchEmbedContents, createGeminiEmbeddings, readEmbeddingsOptions } from "@troupe-internal/gemini";
import { ModelError } from "@troupe/core";
import type { EmbeddingProvider } from "@troupe/core";
import { createOpenCall } from "./access.ts";
import { embeddingsTable, providerId } from "./options.ts";
import type { GoogleEmbeddingsOptions } from "./options.ts";

const defaultModel = "text-embedding-004";
/** The embedding model that replaces the default model, which the vendor has shut down. */
const successor = "gemini-embedding-001";

/** The full length of embedding vectors by model. */
const lengths: Readonly<Record<string, number>> = { [defaultModel]: 768, [successor]: 3072 };

/**
 * Creates a provider of embeddings (vectors of texts) over the Gemini API, or through the client in the options. Throws
 * `invalid_config` for wrong options.
 */
export function googleEmbeddings(options: GoogleEmbeddingsOptions = {}): EmbeddingProvider {
  const settings = readEmbeddingsOptions(options, { owner: "googleEmbeddings", more: embeddingsTable });
  const { model = defaultModel, logger } = settings;
  const isGone = (error: unknown) => error instanceof ModelError && error.status === 404;
  const report = (dimensions: number) => {
    const sentence = `${defaultModel} was shut down, and ${successor} is called in its place: embed anew what was embedded with the former, and name the model.`;
    logger.warn(sentence, { vendor: providerId, dimensions });
  };
  return createGeminiEmbeddings({
    ...settings,
    providerId,
    isCloud: false,
    openCall: createOpenCall(settings),
    model,
    lengths,
    methodOf: () => batchEmbedContents,
    ...(model === defaultModel && { successor: { model: successor, isGone, report } }),
  });
}
