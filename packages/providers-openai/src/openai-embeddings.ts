import type { EmbeddingProvider, EmbedOptions } from "@troupe/core";
import { getOwn } from "@troupe/core/kit";
import { callClient, generateEmbeddings, readJson } from "@troupe/core/provider";
import type { CallContext } from "@troupe/core/provider";
import { clientOptions, keySourcesOf, post, takesKey, toUrl } from "./connection.ts";
import { toClientError, toVendorError } from "./errors.ts";
import { isOpenAIHost } from "./model-rules.ts";
import { readEmbeddingsOptions } from "./options.ts";
import { openaiVendor } from "./vendor.ts";
import type { EmbeddingsSettings, OpenAIEmbeddingsOptions } from "./options.ts";

/**
 * Creates a provider of embeddings (vectors of texts) over the API of OpenAI or a compatible server. It is called with
 * our own HTTP client or through the client in the options. Throws `invalid_config` for wrong options.
 */
export function openaiEmbeddings(options: OpenAIEmbeddingsOptions = {}): EmbeddingProvider {
  return new OpenAIEmbeddings(readEmbeddingsOptions(options));
}

/** The full vector length by model, only at OpenAI: other servers may use the same names for other models. */
const lengths: Readonly<Record<string, number>> = {
  "text-embedding-3-small": 1536,
  "text-embedding-3-large": 3072,
  "text-embedding-ada-002": 1536,
};

/**
 * Limits of a batch. The vendor accepts 2048 texts and 300,000 tokens in one request; a character is at most about one
 * token.
 */
const limits = { mostTexts: 256, mostCharacters: 250_000 };

class OpenAIEmbeddings implements EmbeddingProvider {
  readonly providerId = openaiVendor.id;
  readonly modelId: string;
  readonly dimensions?: number;
  readonly #settings: EmbeddingsSettings;

  constructor(settings: EmbeddingsSettings) {
    const { model, host } = settings;
    const isOpenAI = isOpenAIHost(host);
    const dimensions = settings.dimensions ?? (isOpenAI ? getOwn(lengths, model) : undefined);
    if (dimensions !== undefined) this.dimensions = dimensions;
    this.modelId = model;
    this.#settings = settings;
  }

  async embed(text: string, options?: EmbedOptions): Promise<number[]> {
    const [vector = []] = await this.embedBatch([text], options);
    return vector;
  }

  async embedBatch(texts: readonly string[], { apiKey, signal }: EmbedOptions = {}): Promise<number[][]> {
    const { client, network, host } = this.#settings;
    return await generateEmbeddings(texts, async () => {
      const call = await network.openCall({
        apiKey,
        signal,
        clientTakesKey: takesKey(client),
        ...keySourcesOf(openaiVendor, host),
      });
      const send = async (input: readonly string[]) => readVectors(await this.#ask(input, call));
      return { call, limits, length: this.dimensions, send };
    });
  }

  async #ask(input: readonly string[], call: CallContext): Promise<unknown> {
    const { client, network, baseURL, model, dimensions, timeoutMs } = this.#settings;
    const body = { model, input, encoding_format: "base64", ...(dimensions !== undefined && { dimensions }) };
    if (client !== undefined) {
      return await callClient(
        (signal) => client.embeddings.create(body as never, clientOptions(call, signal) as never),
        {
          signal: call.signal,
          timeoutMs,
          toError: toClientError,
        },
      );
    }
    const waits = { headersTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs };
    return await readJson(await post(network, { url: toUrl(baseURL, "/embeddings"), body, call, ...waits }));
  }
}

/** The fields that are read from the embeddings of a batch. */
type WireEmbeddings = { data?: { index?: number; embedding?: unknown }[]; error?: unknown };

/**
 * Reads the vectors of a batch from a response, in the order of the texts, because the vendor promises no order. Throws
 * `VendorError` for an error in the body.
 */
function readVectors(body: unknown): number[][] {
  const { data = [], error } = (body ?? {}) as WireEmbeddings;
  if (error !== undefined && error !== null) throw toVendorError(error);
  return data.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0)).map(toVector);
}

/** Reads a vector as base64 or as an array, because some servers ignore the requested base64 encoding. */
function toVector({ embedding }: { embedding?: unknown }): number[] {
  if (Array.isArray(embedding)) return embedding as number[];
  const bytes = Buffer.from(typeof embedding === "string" ? embedding : "", "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}
