import type { EmbeddingProvider, EmbedOptions } from "@troupe/core";
import { checkTexts, embedTexts, getOwn } from "@troupe/core/adapter";
import { openAIBaseURL, readEmbeddingsOptions } from "./openai-options.ts";
import type { OpenAIEmbeddingsOptions } from "./openai-options.ts";
import { Connections } from "./connections.ts";
import type { SendOptions } from "./connections.ts";
import { findKey } from "./find-key.ts";
import { isOpenAIHost } from "./model-rules.ts";
import { providerId } from "./provider-id.ts";
import { readVectors } from "./read-vectors.ts";
import { toVendorError } from "./vendor-error.ts";
import { toModelError } from "./to-model-error.ts";

/**
 * Creates a provider of embeddings (vectors of texts) over the API of OpenAI, or of any server with the same API.
 * Throws `invalid_config` for wrong options. The first call loads the package `openai`.
 */
export function openaiEmbeddings(config: OpenAIEmbeddingsOptions = {}): EmbeddingProvider {
  return new OpenAIEmbeddings(readEmbeddingsOptions(config));
}

const defaultModel = "text-embedding-3-small";

/** The full length of the vectors by model, at OpenAI: other servers may use the same names for other models. */
const lengths: Readonly<Record<string, number>> = {
  "text-embedding-3-small": 1536,
  "text-embedding-3-large": 3072,
  "text-embedding-ada-002": 1536,
};

/** The vendor takes 2048 texts and 300,000 tokens in one request. A character is about one token at most. */
const limits = { mostTexts: 256, mostCharacters: 250_000 };

class OpenAIEmbeddings implements EmbeddingProvider {
  readonly providerId = providerId;
  readonly dimensions?: number;
  readonly #config: OpenAIEmbeddingsOptions & { model: string };
  readonly #isOpenAI: boolean;
  readonly #connections: Connections;

  constructor(config: OpenAIEmbeddingsOptions) {
    const { baseURL = openAIBaseURL, model = defaultModel } = config;
    this.#config = { ...config, model };
    this.#isOpenAI = isOpenAIHost(new URL(baseURL).hostname);
    this.#connections = new Connections(baseURL);
    const dimensions = config.dimensions ?? (this.#isOpenAI ? getOwn(lengths, model) : undefined);
    if (dimensions !== undefined) this.dimensions = dimensions;
  }

  async embed(text: string, options?: EmbedOptions): Promise<number[]> {
    const [vector = []] = await this.embedBatch([text], options);
    return vector;
  }

  async embedBatch(texts: readonly string[], { apiKey, signal }: EmbedOptions = {}): Promise<number[][]> {
    checkTexts(texts);
    if (texts.length === 0) return [];
    const key = await findKey({ request: apiKey, config: this.#config.apiKey, isOpenAI: this.#isOpenAI });
    try {
      signal?.throwIfAborted();
      const connection = await this.#connections.open(key);
      const send = async (input: readonly string[]): Promise<number[][]> => {
        const reply = await connection.post(
          { path: "/embeddings", body: this.#request(input) },
          this.#sendOptions(signal),
        );
        return readVectors(JSON.parse(await reply.text()));
      };
      const toError = (message: string) => toVendorError({ code: 502, message });
      return await embedTexts(texts, { limits, length: this.dimensions, send, toError });
    } catch (error) {
      throw toModelError(error, { key, signal });
    }
  }

  #request(input: readonly string[]): object {
    const { model, dimensions } = this.#config;
    return { model, input, encoding_format: "base64", ...(dimensions !== undefined && { dimensions }) };
  }

  #sendOptions(signal: AbortSignal | undefined): SendOptions {
    const { timeoutMs = 600_000 } = this.#config;
    return { signal, headersTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs };
  }
}
