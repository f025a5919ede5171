import type { ChatMessage, ModelProvider } from "@troupe/core";
import { collectResponse, createRequestContext, streamAnswer } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { CallContext, EventBatch, ModelCallOptions, ModelChunk } from "@troupe/core/provider";
import { clientConnection, httpConnection, keySourcesOf, takesKey } from "./connection.ts";
import type { ChatConnection } from "./connection.ts";
import { OllamaError } from "./errors.ts";
import { OllamaEventReader } from "./from-events.ts";
import { fromResponse } from "./from-response.ts";
import type { ModelRules } from "./model-rules.ts";
import { providerId, readModelOptions } from "./options.ts";
import type { OllamaOptions, ProviderSettings } from "./options.ts";
import { toRequest } from "./to-request.ts";
import type { WireLine, WireRequest } from "./wire-types.ts";

/**
 * Creates a model on an Ollama server, by default on this machine, or behind the client in the options. Throws
 * `invalid_config` for wrong options.
 */
export function ollama(modelId: string, options: OllamaOptions = {}): ModelProvider {
  return new OllamaModel(readModelOptions(modelId, options));
}

class OllamaModel implements ModelProvider {
  readonly providerId = providerId;
  readonly modelId: string;
  readonly #settings: ProviderSettings;
  readonly #connection: ChatConnection;
  #rules: ModelRules;

  constructor(settings: ProviderSettings) {
    const { modelId, client, rules } = settings;
    this.modelId = modelId;
    this.#settings = settings;
    this.#connection = client === undefined ? httpConnection(settings) : clientConnection(client, settings);
    this.#rules = rules;
  }

  /**
   * Reads the answer as a stream even if the caller wants it in one piece, because a server that sends nothing until
   * the end cannot be distinguished from a dead server.
   */
  async generate(messages: readonly ChatMessage[], options?: ModelCallOptions): Promise<ModelResponse> {
    return await collectResponse(this.stream(messages, options));
  }

  stream(messages: readonly ChatMessage[], options: ModelCallOptions = {}): AsyncGenerator<ModelChunk, void> {
    return streamAnswer(async () => {
      const call = await this.#openCall(options);
      const open = async () => ({
        events: await this.#open(messages, options, call),
        reader: new OllamaEventReader(this),
        fromWhole: (body: unknown) => fromResponse(body, this),
      });
      return { call, open };
    });
  }

  /**
   * Sends the request of a model call. If the server answers that the model cannot think, repeats it without thinking,
   * and leaves thinking out of later calls.
   */
  async #open(
    messages: readonly ChatMessage[],
    options: ModelCallOptions,
    call: CallContext,
  ): Promise<AsyncIterable<EventBatch<WireLine>>> {
    const request = this.#toRequest(messages, options);
    try {
      return await this.#connection.open(request, call);
    } catch (error) {
      const isRefused = error instanceof OllamaError && error.lacks("thinking");
      if (!isRefused || request.think === undefined) throw error;
      this.#rules = { ...this.#rules, thinking: "none" };
      return await this.#connection.open(this.#toRequest(messages, options), call);
    }
  }

  #toRequest(messages: readonly ChatMessage[], options: ModelCallOptions): WireRequest {
    const { contextLength, logger } = this.#settings;
    const context = createRequestContext(this, { rules: this.#rules, logger }, options);
    return toRequest(messages, options, { ...context, contextLength });
  }

  async #openCall({ apiKey, signal }: ModelCallOptions): Promise<CallContext> {
    const { client, network, baseURL } = this.#settings;
    return await network.openCall({
      providerId,
      apiKey,
      signal,
      clientTakesKey: takesKey(client),
      ...keySourcesOf(baseURL),
    });
  }
}
