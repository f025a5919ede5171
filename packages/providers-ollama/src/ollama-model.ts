import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
import { collectResponse, createOmissionReport, drainReply } from "@troupe/core/adapter";
import type { ModelChunk, ModelResponse } from "@troupe/core/adapter";
import { findKey } from "./find-key.ts";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";
import { readModelOptions } from "./ollama-options.ts";
import type { ProviderSettings, OllamaOptions } from "./ollama-options.ts";
import { postChat } from "./post-chat.ts";
import { providerId } from "./provider-id.ts";
import { StreamReader } from "./stream-reader.ts";
import { toModelError } from "./to-model-error.ts";
import type { CallContext } from "./to-model-error.ts";
import { toRequest } from "./to-request.ts";
import { TruncatedResponseError, VendorError } from "./vendor-error.ts";
import type { WireRequest } from "./wire-types.ts";

/**
 * Creates a model on an Ollama server, by default on this machine. Throws `invalid_config` for wrong options. The first
 * model call loads the package `ollama`.
 */
export function ollama(modelId: string, options: OllamaOptions = {}): ModelProvider {
  return new OllamaModel(modelId, readModelOptions(modelId, options));
}

class OllamaModel implements ModelProvider {
  readonly providerId = providerId;
  readonly modelId: string;
  readonly #settings: ProviderSettings;
  #rules: ModelRules;

  constructor(modelId: string, settings: ProviderSettings) {
    this.modelId = modelId;
    this.#settings = settings;
    this.#rules = rulesOf(modelId, settings.rules);
  }

  /** Collects a stream: while a whole answer is awaited, a busy server and a dead one look the same. */
  async generate(messages: readonly ChatMessage[], options?: ModelOptions): Promise<ModelResponse> {
    return await collectResponse(this.stream(messages, options));
  }

  // A single generator: every further one costs each chunk three more promises.
  async *stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<ModelChunk, void> {
    const call = await this.#open(options);
    const { signal } = call;
    let bytes: AsyncIterator<Uint8Array, undefined> | undefined;
    try {
      const reader = new StreamReader(this.modelId);
      bytes = bytesOf(await this.#ask(messages, options, call));
      while (!reader.isComplete) {
        for (const chunk of reader.push(await bytes.next())) {
          signal?.throwIfAborted();
          yield chunk;
        }
        reader.throwFailure();
      }
      await drainReply(bytes);
    } catch (error) {
      throw toModelError(error, call);
    } finally {
      await bytes?.return?.();
    }
  }

  async #open({ apiKey: request, signal }: ModelOptions): Promise<CallContext> {
    const { apiKey: config, baseURL } = this.#settings;
    return { modelId: this.modelId, key: await findKey({ baseURL, request, config }), signal };
  }

  /** Sends the request, and again without thinking when the server answers that the model cannot think. */
  async #ask(messages: readonly ChatMessage[], options: ModelOptions, { key, signal }: CallContext): Promise<Response> {
    const sendOptions = { ...this.#settings, key, signal };
    const request = this.#toRequest(messages, options);
    try {
      return await postChat(request, sendOptions);
    } catch (error) {
      const isRefused = error instanceof VendorError && error.lacks("thinking");
      if (!isRefused || request.think === undefined) throw error;
      this.#rules = { ...this.#rules, thinking: "none" };
      return await postChat(this.#toRequest(messages, options), sendOptions);
    }
  }

  #toRequest(messages: readonly ChatMessage[], options: ModelOptions): WireRequest {
    const { contextLength, logger } = this.#settings;
    const reportOmitted = createOmissionReport(this, { logger, onOmitted: options.onOmitted });
    const reportReplaced = createOmissionReport(this, { logger });
    return toRequest(messages, options, {
      modelId: this.modelId,
      rules: this.#rules,
      contextLength,
      reportOmitted,
      reportReplaced,
    });
  }
}

function bytesOf({ body }: Response): AsyncIterator<Uint8Array, undefined> {
  if (body === null) throw new TruncatedResponseError();
  return (body as unknown as AsyncIterable<Uint8Array, undefined>)[Symbol.asyncIterator]();
}
