import type { GenerateContentConfig } from "@google/genai/web";
import type { ChatMessage, Logger, ModelOptions, ModelProvider } from "@troupe/core";
import type { ModelChunk, ModelResponse } from "@troupe/core/adapter";
import { readAnswer } from "./answer-reader.ts";
import { GeminiClient } from "./gemini-client.ts";
import type { ClientSettings } from "./gemini-client.ts";
import type { Identify, Identity } from "./identity.ts";
import type { ModelRules } from "./model-rules.ts";
import { StreamReader } from "./stream-reader.ts";
import { toRequest } from "./to-request.ts";
import type { Request } from "./to-request.ts";
import { toModelError, TruncatedResponse } from "./vendor-error.ts";
import type { CallContext } from "./vendor-error.ts";

/**
 * Settings of `createGeminiModel`: the model, the address of its API, and a function that returns the credentials of
 * each call.
 */
export type GeminiSettings = ClientSettings & {
  providerId: string;
  modelId: string;
  identify: Identify;
  idleTimeoutMs: number;
  rules: ModelRules;
  logger: Logger;
};

/**
 * Creates a model that speaks Gemini's format, for `google` and `vertex`, which differ in address and credentials. The
 * first model call loads `@google/genai`.
 */
export function createGeminiModel(settings: GeminiSettings): ModelProvider {
  return new GeminiModel(settings);
}

/** The vendor's own limit for an answer that is not streamed. */
const longestAnswerMs = 600_000;

type Method = "generateContent" | "generateContentStream";
type Call = CallContext & { identity: Identity };

class GeminiModel implements ModelProvider {
  readonly providerId: string;
  readonly modelId: string;
  readonly #settings: GeminiSettings;
  readonly #client: GeminiClient;

  constructor(settings: GeminiSettings) {
    this.providerId = settings.providerId;
    this.modelId = settings.modelId;
    this.#settings = settings;
    this.#client = new GeminiClient(settings);
  }

  async generate(messages: readonly ChatMessage[], options: ModelOptions = {}): Promise<ModelResponse> {
    const request = this.#toRequest(messages, options);
    const call = await this.#open(options);
    try {
      const reply = await this.#send(request, call, "generateContent");
      return readAnswer(await reply.text(), this);
    } catch (error) {
      throw toModelError(error, call);
    }
  }

  // A single generator: every further one costs each chunk three more promises.
  async *stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<ModelChunk, void> {
    const request = this.#toRequest(messages, options);
    const call = await this.#open(options);
    let bytes: AsyncIterator<Uint8Array, undefined> | undefined;
    try {
      const reader = new StreamReader(this);
      bytes = bytesOf(await this.#send(request, call, "generateContentStream"));
      for (let step = await bytes.next(); step.done !== true; step = await bytes.next()) {
        for (const chunk of reader.push(step.value)) yield chunk;
        reader.throwFailure();
      }
      yield reader.finish();
    } catch (error) {
      throw toModelError(error, call);
    } finally {
      await bytes?.return?.();
    }
  }

  #toRequest(messages: readonly ChatMessage[], options: ModelOptions): Request {
    const { rules, logger, isCloud } = this.#settings;
    const drop = (what: string, reason: string): void => {
      logger.debug(`${what} is left out: ${reason}`, { vendor: this.providerId, model: this.modelId });
    };
    return toRequest(messages, options, { model: this, rules, isCloud, drop });
  }

  async #open({ apiKey, signal }: ModelOptions): Promise<Call> {
    const identity = await this.#settings.identify(apiKey, signal);
    return { providerId: this.providerId, key: identity.key, signal, identity };
  }

  async #send({ config, ...asked }: Request, { identity, signal }: Call, method: Method): Promise<Response> {
    const written = await this.#client.write((models, httpOptions) =>
      models[method]({ ...asked, config: { ...(config as GenerateContentConfig), httpOptions } }),
    );
    const { idleTimeoutMs } = this.#settings;
    const headersTimeoutMs = method === "generateContent" ? Math.max(longestAnswerMs, idleTimeoutMs) : idleTimeoutMs;
    return await this.#client.post(written, { headers: identity.headers, signal, headersTimeoutMs, idleTimeoutMs });
  }
}

function bytesOf({ body }: Response): AsyncIterator<Uint8Array, undefined> {
  if (body === null) throw new TruncatedResponse("The answer has no body.");
  return (body as unknown as AsyncIterable<Uint8Array, undefined>)[Symbol.asyncIterator]();
}
