import { TroupeError } from "@troupe/core";
import type { EmbeddingProvider, EmbedOptions } from "@troupe/core";
import { generateEmbeddings, postJson, readJson } from "@troupe/core/provider";
import { createOpenCall } from "./access.ts";
import type { OpenedCall } from "./access.ts";
import { toVendorError } from "./errors.ts";
import { providerId, readEmbeddingsOptions } from "./options.ts";
import type { BedrockEmbeddingsOptions, EmbeddingsSettings } from "./options.ts";

/**
 * Creates a provider of embeddings (vectors of texts) over Amazon Bedrock, for the models Titan and Cohere Embed. Throws
 * `invalid_config` for wrong options.
 */
export function bedrockEmbeddings(options: BedrockEmbeddingsOptions = {}): EmbeddingProvider {
  const settings = readEmbeddingsOptions(options);
  return new BedrockEmbeddings(settings, familyOf(settings));
}

/** The requests and answers of a family of models, which Bedrock passes on as they are. */
type Family = {
  readonly id: RegExp;
  /** The full length of the vectors. */
  readonly length: number;
  /** The field that shortens the vectors; undefined if the model cannot. */
  readonly lengthField?: string;
  /** The most texts of a request. */
  readonly mostTexts: number;
  /** The maximum number of requests at the same time. Titan needs several, because it accepts one text per request. */
  readonly concurrency: number;
  readonly toBody: (texts: readonly string[]) => object;
  readonly toVectors: (body: WireEmbeddings) => unknown;
};

/** The fields that are read from an answer. */
type WireEmbeddings = { readonly embedding?: unknown; readonly embeddings?: unknown };

const titan = {
  mostTexts: 1,
  concurrency: 4,
  toBody: ([inputText]: readonly string[]) => ({ inputText }),
  toVectors: ({ embedding }: WireEmbeddings) => [embedding],
};
const cohere = {
  mostTexts: 96,
  concurrency: 1,
  // Cohere makes different vectors for queries and for documents. An embedding provider is not told which of them a
  // text is, so all texts count as documents.
  toBody: (texts: readonly string[]) => ({ texts, input_type: "search_document", embedding_types: ["float"] }),
  toVectors: ({ embeddings }: WireEmbeddings) =>
    Array.isArray(embeddings) ? embeddings : (embeddings as { float?: unknown } | undefined)?.float,
};

/*
 * Sources, read on 2026-11-30: "Amazon Titan Embeddings" (model-parameters-titan-embed-text) and "Cohere Embed v3" and
 * "v4" (model-parameters-embed-v3, -v4) of Amazon's user guide for Bedrock.
 */
const families: readonly Family[] = [
  { ...titan, id: /titan-embed-text-v2/, length: 1024, lengthField: "dimensions" },
  { ...titan, id: /titan-embed-(?:text-v1|g1)/, length: 1536 },
  { ...cohere, id: /cohere\.embed-v4/, length: 1536, lengthField: "output_dimension" },
  { ...cohere, id: /cohere\.embed-.*-v3/, length: 1024 },
];

function familyOf({ modelId, dimensions }: EmbeddingsSettings): Family {
  const family = families.find(({ id }) => id.test(modelId));
  if (family === undefined) {
    const known = "a model of Titan Text Embeddings or Cohere Embed";
    throw new TroupeError("invalid_config", `model of bedrockEmbeddings must be ${known}, got ${modelId}.`);
  }
  if (dimensions !== undefined && family.lengthField === undefined) {
    const message = `${modelId} has vectors of ${family.length} numbers: leave dimensions of bedrockEmbeddings out.`;
    throw new TroupeError("invalid_config", message);
  }
  return family;
}

class BedrockEmbeddings implements EmbeddingProvider {
  readonly providerId = providerId;
  readonly modelId: string;
  readonly dimensions: number;
  readonly #settings: EmbeddingsSettings;
  readonly #family: Family;
  readonly #openCall: ReturnType<typeof createOpenCall>;

  constructor(settings: EmbeddingsSettings, family: Family) {
    this.modelId = settings.modelId;
    this.dimensions = settings.dimensions ?? family.length;
    this.#settings = settings;
    this.#family = family;
    this.#openCall = createOpenCall(settings);
  }

  async embed(text: string, options?: EmbedOptions): Promise<number[]> {
    const [vector = []] = await this.embedBatch([text], options);
    return vector;
  }

  async embedBatch(texts: readonly string[], { apiKey, signal }: EmbedOptions = {}): Promise<number[][]> {
    const { mostTexts, concurrency } = this.#family;
    return await generateEmbeddings(texts, async () => {
      const opened = await this.#openCall({
        ...(apiKey !== undefined && { apiKey }),
        ...(signal !== undefined && { signal }),
      });
      const send = async (batch: readonly string[]) => await this.#ask(batch, opened);
      return { call: opened.call, limits: { mostTexts, concurrency }, length: this.dimensions, send };
    });
  }

  async #ask(texts: readonly string[], { call, baseURL, headers, sender }: OpenedCall): Promise<number[][]> {
    const { modelId, dimensions, timeoutMs } = this.#settings;
    const { lengthField, toBody, toVectors } = this.#family;
    const shorter = lengthField !== undefined && dimensions !== undefined && { [lengthField]: dimensions };
    const reply = await postJson(sender, {
      url: `${baseURL}/model/${encodeURIComponent(modelId)}/invoke`,
      headers: { accept: "application/json", ...headers },
      body: { ...toBody(texts), ...shorter },
      call,
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      toError: toVendorError,
    });
    const vectors = toVectors((await readJson(reply)) ?? {});
    // Vectors that are not arrays of numbers are left out. The caller then refuses the answer, because it has too few
    // vectors.
    return Array.isArray(vectors) ? vectors.filter(isVector) : [];
  }
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => typeof each === "number");
}
