import { GeminiClient, credentialsOfKey, toModelError } from "@troupe-internal/gemini";
import type { CallCredentials } from "@troupe-internal/gemini";
import { createLogger, ModelError, TroupeError } from "@troupe/core";
import type { EmbeddingProvider, EmbedOptions, Logger } from "@troupe/core";
import { getOwn } from "@troupe/core/adapter";
import { addressOf, findKey, providerId } from "../reach-google.ts";
import { readEmbeddingsOptions } from "./embeddings-options.ts";
import type { GoogleEmbeddingsOptions } from "./embeddings-options.ts";
import { readVectors, toUnitLength } from "./read-vectors.ts";

/**
 * Creates a provider of embeddings (vectors of texts) over the Gemini API. Throws `invalid_config` for wrong options.
 */
export function googleEmbeddings(options: GoogleEmbeddingsOptions = {}): EmbeddingProvider {
  return new GoogleEmbeddings(readEmbeddingsOptions(options));
}

const defaultModel = "text-embedding-004";
/** The replacement for the default model, which the vendor has shut down. */
const successor = "gemini-embedding-001";

/** The full length of the vectors by model. */
const lengths: Readonly<Record<string, number>> = { [defaultModel]: 768, [successor]: 3072 };

/** The vendor's limit of texts in one request. */
const mostTexts = 100;

/** The model of a request, and the length of its vectors unless it is the full one. */
type EmbeddingTarget = { model: string; length: number | undefined };
type EmbedCall = { target: EmbeddingTarget; credentials: CallCredentials; signal: AbortSignal | undefined };

class GoogleEmbeddings implements EmbeddingProvider {
  readonly providerId = providerId;
  readonly dimensions?: number;
  readonly #apiKey: GoogleEmbeddingsOptions["apiKey"];
  readonly #timeoutMs: number;
  readonly #logger: Logger;
  readonly #client: GeminiClient;
  #target: EmbeddingTarget;

  constructor({ model = defaultModel, ...options }: GoogleEmbeddingsOptions) {
    const dimensions = options.dimensions ?? getOwn(lengths, model);
    if (dimensions !== undefined) this.dimensions = dimensions;
    this.#apiKey = options.apiKey;
    this.#timeoutMs = options.timeoutMs ?? 600_000;
    this.#logger = options.logger ?? createLogger();
    this.#client = new GeminiClient({ baseURL: addressOf(options.baseURL), isCloud: false });
    this.#target = { model, length: options.dimensions };
  }

  async embed(text: string, options?: EmbedOptions): Promise<number[]> {
    const [vector = []] = await this.embedBatch([text], options);
    return vector;
  }

  async embedBatch(texts: readonly string[], { apiKey, signal }: EmbedOptions = {}): Promise<number[][]> {
    const empty = texts.indexOf("");
    if (empty !== -1)
      throw new TroupeError("invalid_value", `An empty text has no embedding, and text ${empty} is empty.`);
    if (texts.length === 0) return [];
    const credentials = credentialsOfKey(await findKey(apiKey, this.#apiKey));
    const call = { target: this.#target, credentials, signal };
    try {
      return await this.#embedAll(texts, call);
    } catch (error) {
      const isGone = call.target.model === defaultModel && error instanceof ModelError && error.status === 404;
      if (!isGone) throw error;
      // All texts again: vectors of two models cannot be compared.
      return await this.#embedAll(texts, { ...call, target: this.#replaceModel() });
    }
  }

  /** Uses the successor from now on, with the length of the default model. */
  #replaceModel(): EmbeddingTarget {
    if (this.#target.model === successor) return this.#target;
    this.#target = { model: successor, length: this.dimensions };
    const sentence = `${defaultModel} was shut down, and ${successor} is called in its place: embed anew what was embedded with the former, and name the model.`;
    this.#logger.warn(sentence, { vendor: providerId, dimensions: this.dimensions });
    return this.#target;
  }

  async #embedAll(texts: readonly string[], call: EmbedCall): Promise<number[][]> {
    const { target, credentials, signal } = call;
    try {
      const vectors: number[][] = [];
      // One after the other, because of rate limits.
      for (let start = 0; start < texts.length; start += mostTexts) {
        const batch = texts.slice(start, start + mostTexts);
        const length = this.dimensions ?? vectors[0]?.length;
        vectors.push(...readVectors(await this.#ask(batch, call), { count: batch.length, length }));
      }
      return target.length === undefined ? vectors : vectors.map(toUnitLength);
    } catch (error) {
      throw toModelError(error, { providerId, key: credentials.key, signal });
    }
  }

  async #ask(texts: readonly string[], { target, credentials, signal }: EmbedCall): Promise<string> {
    const { model, length } = target;
    const named = { model: model.includes("/") ? model : `models/${model}` };
    const shortened = { ...(length !== undefined && { outputDimensionality: length }) };
    // Each text is a request of its own: some models join the texts of one to one vector.
    const requests = texts.map((text) => ({ content: { role: "user", parts: [{ text }] }, ...shortened, ...named }));
    const waits = { headersTimeoutMs: this.#timeoutMs, idleTimeoutMs: this.#timeoutMs };
    const reply = await this.#client.post(
      { modelId: model, method: "batchEmbedContents", body: { requests } },
      { headers: credentials.headers, signal, ...waits },
    );
    return await reply.text();
  }
}
