import type { EmbeddingProvider, EmbedOptions } from "@troupe/core";
import { readObject } from "@troupe/core/kit";
import { generateEmbeddings } from "@troupe/core/provider";
import { clientEmbedConnection, httpEmbedConnection, keySourcesOf, takesKey } from "./connection.ts";
import type { EmbedConnection } from "./connection.ts";
import { toVendorError } from "./errors.ts";
import { providerId, readEmbeddingsOptions } from "./options.ts";
import type { EmbeddingsSettings, OllamaEmbeddingsOptions } from "./options.ts";

/**
 * Creates a provider of embeddings (vectors of texts) on an Ollama server, by default on this machine. A text that is
 * longer than the model's context is an error, because the server would truncate it. Throws `invalid_config` for wrong
 * options.
 */
export function ollamaEmbeddings(model: string, options: OllamaEmbeddingsOptions = {}): EmbeddingProvider {
  return new OllamaEmbeddings(readEmbeddingsOptions(model, options));
}

/** The size of a batch of texts that a server on a small machine embeds within a reasonable time. */
const limits = { mostTexts: 64 };

class OllamaEmbeddings implements EmbeddingProvider {
  readonly providerId = providerId;
  readonly modelId: string;
  readonly dimensions?: number;
  readonly #settings: EmbeddingsSettings;
  readonly #connection: EmbedConnection;

  constructor(settings: EmbeddingsSettings) {
    const { client, model, dimensions } = settings;
    this.modelId = withTag(model);
    if (dimensions !== undefined) this.dimensions = dimensions;
    this.#settings = settings;
    this.#connection =
      client === undefined ? httpEmbedConnection(settings) : clientEmbedConnection(client, settings.timeoutMs);
  }

  async embed(text: string, options?: EmbedOptions): Promise<number[]> {
    const [vector = []] = await this.embedBatch([text], options);
    return vector;
  }

  async embedBatch(texts: readonly string[], { apiKey, signal }: EmbedOptions = {}): Promise<number[][]> {
    const { client, model, dimensions, network, baseURL } = this.#settings;
    return await generateEmbeddings(texts, async () => {
      const call = await network.openCall({
        providerId,
        apiKey,
        signal,
        clientTakesKey: takesKey(client),
        ...keySourcesOf(baseURL),
      });
      const shortened = dimensions !== undefined && { dimensions };
      const send = async (batch: readonly string[]) =>
        readVectors(await this.#connection.send({ model, input: [...batch], truncate: false, ...shortened }, call));
      return { call, limits, length: dimensions, send };
    });
  }
}

/** Returns the name of a model with its tag. The server uses `latest` for a name without a tag. */
function withTag(model: string): string {
  const name = model.slice(model.lastIndexOf("/") + 1);
  return name.includes(":") ? model : `${model}:latest`;
}

/**
 * Returns the vectors in an answer, in the order of the texts; an invalid vector becomes an empty array. Throws
 * `OllamaError` for an error in the body.
 */
function readVectors(body: unknown): number[][] {
  const { embeddings, error } = readObject(body);
  if (error !== undefined && error !== null) throw toVendorError(body);
  const rows: unknown[] = Array.isArray(embeddings) ? embeddings : [];
  return rows.map((row) => (Array.isArray(row) && row.every((value) => typeof value === "number") ? row : []));
}
