import type { EmbeddingProvider, EmbedOptions } from "@troupe/core";
import { readObject } from "@troupe/core/kit";
import { callClient, generateEmbeddings } from "@troupe/core/provider";
import { toVendorError } from "./errors.ts";
import { ModelKeys } from "./model-access.ts";
import type { ModelAccess } from "./model-access.ts";
import type { AiSdkEmbeddingModel, EmbeddingSettings } from "./options.ts";

/**
 * The maximum number of texts in a request, if the model does not declare it, and the maximum number of characters in
 * any request.
 */
const defaults = { mostTexts: 256, mostCharacters: 250_000 };

/** Embeddings over an embedding model of the AI SDK. */
export class AiSdkEmbeddings implements EmbeddingProvider {
  readonly providerId: string;
  readonly modelId: string;
  readonly dimensions?: number;
  readonly #settings: EmbeddingSettings;
  readonly #keys: ModelKeys<AiSdkEmbeddingModel>;

  constructor(model: AiSdkEmbeddingModel, settings: EmbeddingSettings) {
    this.providerId = settings.providerId;
    this.modelId = model.modelId;
    if (settings.dimensions !== undefined) this.dimensions = settings.dimensions;
    this.#settings = settings;
    this.#keys = new ModelKeys(model, settings);
  }

  async embed(text: string, options?: EmbedOptions): Promise<number[]> {
    const [vector = []] = await this.embedBatch([text], options);
    return vector;
  }

  async embedBatch(texts: readonly string[], { apiKey, signal }: EmbedOptions = {}): Promise<number[][]> {
    return await generateEmbeddings(texts, async () => {
      const access = await this.#keys.open(apiKey, signal);
      const most = await access.model.maxEmbeddingsPerCall;
      const mostTexts = typeof most === "number" && most >= 1 ? Math.min(most, 2048) : defaults.mostTexts;
      const send = async (values: readonly string[]) => await this.#ask(values, access);
      return { call: access.call, limits: { ...defaults, mostTexts }, length: this.dimensions, send };
    });
  }

  async #ask(values: readonly string[], { model, headers, call }: ModelAccess<AiSdkEmbeddingModel>) {
    const { timeoutMs, dimensions } = this.#settings;
    const options = {
      values: [...values],
      ...(dimensions !== undefined && { dimensions }),
      ...(headers !== undefined && { headers }),
    };
    const result = await callClient((abortSignal) => model.doEmbed({ ...options, abortSignal } as never), {
      signal: call.signal,
      timeoutMs,
      toError: (thrown) => toVendorError(thrown, call),
    });
    const { embeddings } = readObject(result);
    return Array.isArray(embeddings) ? (embeddings as number[][]) : [];
  }
}
