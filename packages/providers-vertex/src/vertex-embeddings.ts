import { embedContent, GeminiEmbedder, predict, readEmbeddingsOptions } from "@troupe-internal/gemini";
import type { EmbeddingTarget } from "@troupe-internal/gemini";
import type { EmbeddingProvider, EmbedOptions } from "@troupe/core";
import { getOwn, Network } from "@troupe/core/adapter";
import { createOpenCall } from "./access.ts";
import { checkCloudOptions, cloudTable, providerId } from "./vertex-options.ts";
import type { VertexEmbeddingsOptions } from "./vertex-options.ts";

/**
 * Creates a provider of embeddings (vectors of texts) on Google Cloud (Vertex AI), with the place and credentials of
 * `vertex`. Throws `invalid_config` for wrong options.
 */
export function vertexEmbeddings(options: VertexEmbeddingsOptions = {}): EmbeddingProvider {
  const owner = "vertexEmbeddings";
  const read = readEmbeddingsOptions(options, { owner, more: cloudTable });
  checkCloudOptions(read, owner);
  return new VertexEmbeddings(read);
}

/** The full length of the vectors by model. */
const lengths: Readonly<Record<string, number>> = {
  "gemini-embedding-001": 3072,
  "text-embedding-005": 768,
  "text-multilingual-embedding-002": 768,
};

class VertexEmbeddings implements EmbeddingProvider {
  readonly providerId = providerId;
  readonly dimensions?: number;
  readonly #embedder: GeminiEmbedder;
  readonly #target: EmbeddingTarget;

  constructor({ model = "gemini-embedding-001", timeoutMs = 600_000, ...options }: VertexEmbeddingsOptions) {
    const dimensions = options.dimensions ?? getOwn(lengths, model);
    if (dimensions !== undefined) this.dimensions = dimensions;
    const network = new Network(options);
    this.#embedder = new GeminiEmbedder({
      providerId,
      isCloud: true,
      network,
      openCall: createOpenCall(network, { ...options, modelId: model }),
      client: options.client,
      methodOf: (name) => (isSingle(name) ? embedContent : predict(name)),
      timeoutMs,
    });
    this.#target = { model, length: options.dimensions };
  }

  async embed(text: string, options?: EmbedOptions): Promise<number[]> {
    const [vector = []] = await this.embedBatch([text], options);
    return vector;
  }

  async embedBatch(texts: readonly string[], options: EmbedOptions = {}): Promise<number[][]> {
    if (texts.length === 0) return [];
    const opened = await this.#embedder.open(texts, options);
    return await this.#embedder.embed(texts, { opened, target: this.#target, length: this.dimensions });
  }
}

/** The newer models, of Google or as a service, have a method of their own. */
function isSingle(model: string): boolean {
  return (model.includes("gemini") && !model.endsWith("gemini-embedding-001")) || model.includes("maas");
}
