import type { EmbeddingProvider, EmbedOptions } from "@troupe/core";
import { getOwn } from "@troupe/core/kit";
import { callClient, generateEmbeddings, readJson } from "@troupe/core/provider";
import type { CallContext, EmbeddingLimits } from "@troupe/core/provider";
import type { OpenCall, OpenedCall } from "./access.ts";
import { clientHttpOptions, postMethod, toApiPath, toClientError } from "./connection.ts";
import type { EmbeddingsSettings, GeminiEmbeddingsClient } from "./options.ts";

/** The model of a request for embeddings, and the requested vector length; `undefined` for the model's own length. */
type EmbeddingTarget = { model: string; length: number | undefined };

/** A method with which one of Google's APIs embeds texts: its limits per request, its body, and its answer. */
export type EmbeddingMethod = {
  name: string;
  limits: EmbeddingLimits;
  toBody(texts: readonly string[], target: EmbeddingTarget): object;
  /** Returns the embedding of each text from Google's answer. */
  fromBody(body: EmbeddingAnswer): readonly (Values | null | undefined)[] | undefined;
};

type Values = { values?: number[] | null };

/** The fields of the answers of all embedding methods of Google. */
type EmbeddingAnswer = {
  embeddings?: Values[];
  predictions?: { embeddings?: Values }[];
  embedding?: Values;
};

/**
 * Settings of `createGeminiEmbeddings`: the settings of the embeddings, and the differences between `google` and
 * `vertex`.
 */
export type GeminiEmbeddingsSettings = EmbeddingsSettings & {
  providerId: string;
  isCloud: boolean;
  openCall: OpenCall;
  model: string;
  /** The full length of embedding vectors by model. */
  lengths: Readonly<Record<string, number>>;
  /** Returns the API method that embeds texts with a model. */
  methodOf: (model: string) => EmbeddingMethod;
  /**
   * The embedding model that replaces this one after an error that `isGone` recognises, and the function that reports
   * it.
   */
  successor?: { model: string; isGone: (error: unknown) => boolean; report: (dimensions: number) => void };
};

/** Creates a provider of embeddings over one of Google's APIs, for `googleEmbeddings` and `vertexEmbeddings`. */
export function createGeminiEmbeddings(settings: GeminiEmbeddingsSettings): EmbeddingProvider {
  return new GeminiEmbeddings(settings);
}

class GeminiEmbeddings implements EmbeddingProvider {
  readonly providerId: string;
  readonly dimensions?: number;
  readonly #settings: GeminiEmbeddingsSettings;
  #target: EmbeddingTarget;

  constructor(settings: GeminiEmbeddingsSettings) {
    const { providerId, model, lengths } = settings;
    const dimensions = settings.dimensions ?? getOwn(lengths, model);
    this.providerId = providerId;
    if (dimensions !== undefined) this.dimensions = dimensions;
    this.#settings = settings;
    this.#target = { model, length: settings.dimensions };
  }

  /** The id of the embedding model, or the id of its successor once the successor is used. */
  get modelId(): string {
    return this.#target.model;
  }

  async embed(text: string, options?: EmbedOptions): Promise<number[]> {
    const [vector = []] = await this.embedBatch([text], options);
    return vector;
  }

  async embedBatch(texts: readonly string[], options: EmbedOptions = {}): Promise<number[][]> {
    const { openCall, successor } = this.#settings;
    let opened: OpenedCall | undefined;
    const open = async () => (opened ??= await openCall(options));
    const target = this.#target;
    try {
      return await this.#embed(texts, target, open);
    } catch (error) {
      if (successor === undefined || target.model === successor.model || !successor.isGone(error)) throw error;
      if (this.#target === target) this.#replaceModel(successor);
      // All texts are embedded again, because vectors of two models cannot be compared.
      return await this.#embed(texts, this.#target, open);
    }
  }

  /** Uses the successor of the embedding model from now on, with the same vector length. */
  #replaceModel({ model, report }: NonNullable<GeminiEmbeddingsSettings["successor"]>): void {
    this.#target = { model, length: this.dimensions };
    report(this.dimensions ?? 0);
  }

  async #embed(
    texts: readonly string[],
    target: EmbeddingTarget,
    open: () => Promise<OpenedCall>,
  ): Promise<number[][]> {
    const { limits } = this.#settings.methodOf(target.model);
    const vectors = await generateEmbeddings(texts, async () => {
      const opened = await open();
      const send = async (batch: readonly string[]) => {
        const values = await this.#ask(batch, target, opened);
        return (values ?? []).map((one) => one?.values ?? []);
      };
      return { call: opened.call, limits, length: this.dimensions, send };
    });
    return target.length === undefined ? vectors : vectors.map(toUnitLength);
  }

  async #ask(texts: readonly string[], target: EmbeddingTarget, { call, access }: OpenedCall) {
    const { client, isCloud, network, methodOf, timeoutMs } = this.#settings;
    if (client !== undefined) return await embedByClient(client, { texts, target, call, timeoutMs });
    const method = methodOf(target.model);
    const reply = await postMethod(network, {
      modelId: target.model,
      method: method.name,
      isCloud,
      access,
      body: method.toBody(texts, target),
      call,
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
    });
    const answer: EmbeddingAnswer = (await readJson(reply)) ?? {};
    return method.fromBody(answer);
  }
}

type ClientRequest = { texts: readonly string[]; target: EmbeddingTarget; call: CallContext; timeoutMs: number };

async function embedByClient({ models }: GeminiEmbeddingsClient, request: ClientRequest) {
  const { texts, target, call, timeoutMs } = request;
  const { model, length: outputDimensionality } = target;
  const httpOptions = clientHttpOptions(call);
  const config = { ...(outputDimensionality !== undefined && { outputDimensionality }), httpOptions };
  const contents = texts.map(toContent);
  const answer = await callClient(
    (abortSignal) => models.embedContent({ model, contents, config: { ...config, abortSignal } } as never),
    { signal: call.signal, timeoutMs, toError: toClientError },
  );
  return ((answer ?? {}) as EmbeddingAnswer).embeddings;
}

/** Scales a vector to length 1, because Google's shortened vectors do not have this length. */
function toUnitLength(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
}

const toContent = (text: string) => ({ role: "user", parts: [{ text }] });

/**
 * The Gemini API's method that embeds texts. Each text is a separate request in the batch, because some models join the
 * texts of one request to one vector.
 */
export const batchEmbedContents: EmbeddingMethod = {
  name: "batchEmbedContents",
  limits: { mostTexts: 100 },
  toBody: (texts, { model, length }) => ({
    requests: texts.map((text) => ({
      content: toContent(text),
      ...(length !== undefined && { outputDimensionality: length }),
      model: toApiPath(model),
    })),
  }),
  fromBody: ({ embeddings }) => embeddings,
};

/**
 * Google Cloud's method that embeds texts with its older models. They accept 20,000 tokens in one request; a Gemini
 * model accepts one text.
 */
export function predict(model: string): EmbeddingMethod {
  const isGemini = model.includes("gemini");
  return {
    name: "predict",
    limits: isGemini ? oneAtATime : { mostTexts: 250, mostCharacters: 20_000 },
    toBody: (texts, { length }) => ({
      instances: texts.map((content) => ({ content })),
      ...(length !== undefined && { parameters: { outputDimensionality: length } }),
    }),
    fromBody: ({ predictions }) => predictions?.map((one) => one.embeddings),
  };
}

const oneAtATime: EmbeddingLimits = { mostTexts: 1, concurrency: 4 };

/** Google Cloud's method that embeds texts with its newer models, with one text per request. */
export const embedContent: EmbeddingMethod = {
  name: "embedContent",
  limits: oneAtATime,
  toBody: ([text = ""], { length }) => ({
    content: toContent(text),
    ...(length !== undefined && { embedContentConfig: { outputDimensionality: length } }),
  }),
  fromBody: ({ embedding }) => embedding && [embedding],
};
