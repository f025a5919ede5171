import type { ChatMessage, Logger, ModelOptions, ModelProvider } from "@troupe/core";
import { createOmissionReport } from "@troupe/core/adapter";
import type { ModelChunk, ModelResponse } from "@troupe/core/adapter";
import { fromResponse } from "./from-response.ts";
import { GeminiClient } from "./gemini-client.ts";
import type { ClientSettings } from "./gemini-client.ts";
import type { FindCredentials, CallCredentials } from "./call-credentials.ts";
import type { ModelRules } from "./model-rules.ts";
import { StreamReader } from "./stream-reader.ts";
import { toRequest } from "./to-request.ts";
import type { RequestBody } from "./to-request.ts";
import { toModelError, TruncatedResponseError } from "./vendor-error.ts";
import type { CallContext } from "./vendor-error.ts";

/**
 * Settings of `createGeminiModel`: the model, the address of its API, and a function that returns the credentials of
 * each call.
 */
export type GeminiModelSettings = ClientSettings & {
  providerId: string;
  modelId: string;
  findCredentials: FindCredentials;
  idleTimeoutMs: number;
  rules: ModelRules;
  logger: Logger;
};

/**
 * Creates a model that speaks Gemini's format, for `google` and `vertex`, which differ in address and credentials.
 */
export function createGeminiModel(settings: GeminiModelSettings): ModelProvider {
  return new GeminiModel(settings);
}

/** The vendor's own limit for an answer that is not streamed. */
const longestAnswerMs = 600_000;

type Method = "generateContent" | "streamGenerateContent";
type ModelCall = CallContext & { credentials: CallCredentials };

class GeminiModel implements ModelProvider {
  readonly providerId: string;
  readonly modelId: string;
  readonly #settings: GeminiModelSettings;
  readonly #client: GeminiClient;

  constructor(settings: GeminiModelSettings) {
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
      return fromResponse(await reply.text(), this);
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
      bytes = bytesOf(await this.#send(request, call, "streamGenerateContent"));
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

  #toRequest(messages: readonly ChatMessage[], options: ModelOptions): RequestBody {
    const { rules, logger, isCloud } = this.#settings;
    const reportOmitted = createOmissionReport(this, { logger, onOmitted: options.onOmitted });
    const reportReplaced = createOmissionReport(this, { logger });
    return toRequest(messages, options, { model: this, rules, isCloud, reportOmitted, reportReplaced });
  }

  async #open({ apiKey, signal }: ModelOptions): Promise<ModelCall> {
    const credentials = await this.#settings.findCredentials(apiKey, signal);
    return { providerId: this.providerId, key: credentials.key, signal, credentials };
  }

  async #send(body: RequestBody, { credentials, signal }: ModelCall, method: Method): Promise<Response> {
    const { idleTimeoutMs } = this.#settings;
    const headersTimeoutMs = method === "generateContent" ? Math.max(longestAnswerMs, idleTimeoutMs) : idleTimeoutMs;
    const waits = { headersTimeoutMs, idleTimeoutMs };
    const { headers } = credentials;
    return await this.#client.post({ modelId: this.modelId, method, body }, { headers, signal, ...waits });
  }
}

function bytesOf({ body }: Response): AsyncIterator<Uint8Array, undefined> {
  if (body === null) throw new TruncatedResponseError("The answer has no body.");
  return (body as unknown as AsyncIterable<Uint8Array, undefined>)[Symbol.asyncIterator]();
}
