import { createGeminiEmbeddings, embedContent, predict, readEmbeddingsOptions } from "@troupe-internal/gemini";
import type { EmbeddingProvider } from "@troupe/core";
import { createOpenCall } from "./access.ts";
import { checkCloudOptions, cloudTable, providerId, withoutEffect } from "./options.ts";
import type { VertexEmbeddingsOptions } from "./options.ts";

/** The full length of embedding vectors by model. */
const lengths: Readonly<Record<string, number>> = {
  "gemini-embedding-001": 3072,
  "text-embedding-005": 768,
  "text-multilingual-embedding-002": 768,
};

/**
 * Creates a provider of embeddings (vectors of texts) on Google Cloud (Vertex AI), with the project, location and
 * credentials of `vertex`. Throws `invalid_config` for wrong options.
 */
export function vertexEmbeddings(options: VertexEmbeddingsOptions = {}): EmbeddingProvider {
  const owner = "vertexEmbeddings";
  const settings = readEmbeddingsOptions(options, { owner, more: cloudTable, withoutEffect });
  checkCloudOptions(options, owner);
  const { model = "gemini-embedding-001" } = settings;
  return createGeminiEmbeddings({
    ...settings,
    providerId,
    isCloud: true,
    openCall: createOpenCall(settings, model),
    model,
    lengths,
    methodOf: (name) => (isSingle(name) ? embedContent : predict(name)),
  });
}

/** Returns true for the newer Gemini models and for models as a service, which use the method `embedContent`. */
function isSingle(model: string): boolean {
  return (model.includes("gemini") && !model.endsWith("gemini-embedding-001")) || model.includes("maas");
}
