import type { EmbeddingProvider, EmbedOptions } from "@troupe/core";
import { checkTexts, embedTexts, Network, openClientCall, readObject, toModelError } from "@troupe/core/adapter";
import type { CallContext } from "@troupe/core/adapter";
import { clientEmbedConnection, httpEmbedConnection, keySourcesOf } from "./connection.ts";
import type { EmbedConnection } from "./connection.ts";
import { OllamaError } from "./errors.ts";
import { readEmbeddingsOptions } from "./options.ts";
import type { EmbeddingsSettings, OllamaEmbeddingsOptions } from "./options.ts";
import { providerId } from "./provider-id.ts";

/**
 * Creates a provider of embeddings (vectors of texts) on an Ollama server, by default on this machine. A text that is longer than the
 * model's context is an error, since the server would cut it. Throws `invalid_config` for wrong options.
 */
export function ollamaEmbeddings(model: string, options: OllamaEmbeddingsOptions = {}): EmbeddingProvider {
  return new OllamaEmbeddings(readEmbeddingsOptions(model, options));
}

/** A server on a small machine answers a batch within a reasonable time. */
const limits = { mostTexts: 64 };

class OllamaEmbeddings implements EmbeddingProvider {
  readonly providerId = providerId;
  readonly dimensions?: number;
  readonly #settings: EmbeddingsSettings;
  readonly #network: Network;
  readonly #connection: EmbedConnection;

  constructor(settings: EmbeddingsSettings) {
    const { client, network, timeoutMs, dimensions } = settings;
    if (dimensions !== undefined) this.dimensions = dimensions;
    this.#settings = settings;
    this.#network = new Network(network);
    const http = { ...settings, idleTimeoutMs: timeoutMs };
    this.#connection = client === undefined ? httpEmbedConnection(this.#network, http) : clientEmbedConnection(client);
  }

  async embed(text: string, options?: EmbedOptions): Promise<number[]> {
    const [vector = []] = await this.embedBatch([text], options);
    return vector;
  }

  async embedBatch(texts: readonly string[], { apiKey, signal }: EmbedOptions = {}): Promise<number[][]> {
    checkTexts(texts);
    if (texts.length === 0) return [];
    const { model, dimensions } = this.#settings;
    const call = await this.#openCall(apiKey, signal);
    const send = async (batch: readonly string[]): Promise<number[][]> => {
      const shortened = dimensions !== undefined && { dimensions };
      return readVectors(
        await this.#connection.send({ model, input: [...batch], truncate: false, ...shortened }, call),
      );
    };
    try {
      signal?.throwIfAborted();
      return await embedTexts(texts, { limits, length: dimensions, send });
    } catch (error) {
      throw toModelError(error, call);
    }
  }

  async #openCall(request: string | undefined, signal: AbortSignal | undefined): Promise<CallContext> {
    const { apiKey: config, baseURL, client } = this.#settings;
    if (client !== undefined) return openClientCall(providerId, { apiKey: request, signal });
    return await this.#network.openCall({ providerId, request, config, signal, ...keySourcesOf(baseURL) });
  }
}

/** Returns the vectors in an answer, in the order of the texts. */
function readVectors(body: unknown): number[][] {
  const { embeddings, error } = readObject(body);
  if (error !== undefined && error !== null) throw new OllamaError(error);
  const rows: unknown[] = Array.isArray(embeddings) ? embeddings : [];
  return rows.map((row) => (Array.isArray(row) && row.every((value) => typeof value === "number") ? row : []));
}
