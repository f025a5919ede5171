import { batchEmbedContents, GeminiEmbedder, readEmbeddingsOptions } from "@troupe-internal/gemini";
import type { EmbeddingTarget } from "@troupe-internal/gemini";
import { createLogger, ModelError } from "@troupe/core";
import type { EmbeddingProvider, EmbedOptions, Logger } from "@troupe/core";
import { getOwn, loggerOption, Network, optional } from "@troupe/core/adapter";
import { createOpenCall } from "./access.ts";
import { providerId } from "./google-options.ts";
import type { GoogleEmbeddingsOptions } from "./google-options.ts";

/**
 * Creates a provider of embeddings (vectors of texts) over the Gemini API, or through the client in the options. Throws
 * `invalid_config` for wrong options.
 */
export function googleEmbeddings(options: GoogleEmbeddingsOptions = {}): EmbeddingProvider {
  const more = { logger: optional(loggerOption) };
  return new GoogleEmbeddings(readEmbeddingsOptions(options, { owner: "googleEmbeddings", more }));
}

const defaultModel = "text-embedding-004";
/** The replacement for the default model, which the vendor has shut down. */
const successor = "gemini-embedding-001";

/** The full length of the vectors by model. */
const lengths: Readonly<Record<string, number>> = { [defaultModel]: 768, [successor]: 3072 };

class GoogleEmbeddings implements EmbeddingProvider {
  readonly providerId = providerId;
  readonly dimensions?: number;
  readonly #logger: Logger;
  readonly #embedder: GeminiEmbedder;
  #target: EmbeddingTarget;

  constructor({ model = defaultModel, ...options }: GoogleEmbeddingsOptions) {
    const { client, timeoutMs = 600_000, logger = createLogger() } = options;
    const dimensions = options.dimensions ?? getOwn(lengths, model);
    if (dimensions !== undefined) this.dimensions = dimensions;
    const network = new Network(options);
    this.#logger = logger;
    this.#embedder = new GeminiEmbedder({
      providerId,
      isCloud: false,
      network,
      openCall: createOpenCall(network, options),
      client,
      methodOf: () => batchEmbedContents,
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
    const call = { opened, target: this.#target, length: this.dimensions };
    try {
      return await this.#embedder.embed(texts, call);
    } catch (error) {
      const isGone = call.target.model === defaultModel && error instanceof ModelError && error.status === 404;
      if (!isGone) throw error;
      // All texts again: vectors of two models cannot be compared.
      return await this.#embedder.embed(texts, { ...call, target: this.#replaceModel() });
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
}
