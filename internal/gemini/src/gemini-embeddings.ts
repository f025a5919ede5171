import type { EmbedOptions } from "@troupe/core";
import { checkTexts, embedTexts, openClientCall, readJson, toModelError } from "@troupe/core/adapter";
import type { CallContext, EmbeddingLimits, Network } from "@troupe/core/adapter";
import type { OpenCall, OpenedCall } from "./access.ts";
import { postMethod, toApiPath, toldByClient } from "./connection.ts";
import type { GeminiEmbeddingsClient } from "./options.ts";

/** The model of a request for embeddings, and the length of its vectors unless it is the full one. */
export type EmbeddingTarget = { model: string; length: number | undefined };

/** One of the methods with which an API embeds texts: its limits in one request, its body, and its answer. */
export type EmbeddingMethod = {
  name: string;
  limits: EmbeddingLimits;
  toBody(texts: readonly string[], target: EmbeddingTarget): object;
  /** Returns what the answer holds for each text. */
  fromBody(body: EmbeddingAnswer): readonly (Values | null | undefined)[] | undefined;
};

type Values = { values?: number[] | null };

/** The fields of the answers of all methods. */
type EmbeddingAnswer = {
  embeddings?: Values[];
  predictions?: { embeddings?: Values }[];
  embedding?: Values;
};

/** Settings of `GeminiEmbedder`. */
export type EmbedderSettings = {
  providerId: string;
  isCloud: boolean;
  network: Network;
  openCall: OpenCall;
  client: GeminiEmbeddingsClient | undefined;
  /** Returns the method for a model. */
  methodOf: (model: string) => EmbeddingMethod;
  timeoutMs: number;
};

/** Embeds texts for `googleEmbeddings` and `vertexEmbeddings`, over HTTP or through the caller's own client. */
export class GeminiEmbedder {
  readonly #settings: EmbedderSettings;

  constructor(settings: EmbedderSettings) {
    this.#settings = settings;
  }

  /** Checks the texts and opens the call that embeds them. */
  async open(texts: readonly string[], options: EmbedOptions): Promise<OpenedCall> {
    const { client, openCall, providerId } = this.#settings;
    checkTexts(texts);
    return client === undefined ? await openCall(options) : { call: openClientCall(providerId, options) };
  }

  /** Returns one vector per text. `length` is that of the vectors, when it is known beforehand. */
  async embed(
    texts: readonly string[],
    { target, opened, length }: { target: EmbeddingTarget; opened: OpenedCall; length: number | undefined },
  ): Promise<number[][]> {
    const { limits } = this.#settings.methodOf(target.model);
    const send = async (batch: readonly string[]) => {
      const values = await this.#ask(batch, target, opened);
      return (values ?? []).map((one) => one?.values ?? []);
    };
    try {
      const vectors = await embedTexts(texts, { limits, length, send });
      return target.length === undefined ? vectors : vectors.map(toUnitLength);
    } catch (error) {
      throw toModelError(error, opened.call);
    }
  }

  async #ask(texts: readonly string[], target: EmbeddingTarget, { call, access }: OpenedCall) {
    const { client, isCloud, network, methodOf, timeoutMs } = this.#settings;
    if (client !== undefined) return await askClient(client, { texts, target, call });
    const method = methodOf(target.model);
    const body = method.toBody(texts, target);
    const waits = { headersTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs };
    const reply = await postMethod(network, {
      modelId: target.model,
      method: method.name,
      isCloud,
      access,
      body,
      call,
      ...waits,
    });
    const answer: EmbeddingAnswer = (await readJson(reply)) ?? {};
    return method.fromBody(answer);
  }
}

type Asked = { texts: readonly string[]; target: EmbeddingTarget; call: CallContext };

async function askClient({ models }: GeminiEmbeddingsClient, { texts, target, call: { signal } }: Asked) {
  const { model, length } = target;
  const config = {
    ...(length !== undefined && { outputDimensionality: length }),
    ...(signal !== undefined && { abortSignal: signal }),
    httpOptions: { retryOptions: { attempts: 1 } },
  };
  const parameters = { model, contents: texts.map(toContent), config };
  const answer = await toldByClient(() => models.embedContent(parameters as never));
  return ((answer ?? {}) as EmbeddingAnswer).embeddings;
}

/** Scales a vector to length 1, which Google's vectors lack after they were shortened. */
function toUnitLength(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
}

const toContent = (text: string) => ({ role: "user", parts: [{ text }] });

/** The method of the Gemini API. Each text is a request of its own: some models join the texts of one to one vector. */
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

/** The method of Google Cloud for its older models. Each takes 20,000 tokens in one request; the first Gemini model takes one text. */
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

/** The method of Google Cloud for its newer models, with one text in a request. */
export const embedContent: EmbeddingMethod = {
  name: "embedContent",
  limits: oneAtATime,
  toBody: ([text = ""], { length }) => ({
    content: toContent(text),
    ...(length !== undefined && { embedContentConfig: { outputDimensionality: length } }),
  }),
  fromBody: ({ embedding }) => embedding && [embedding],
};
