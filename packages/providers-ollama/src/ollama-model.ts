import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
import {
  collectResponse,
  createOmissionReport,
  Network,
  openClientCall,
  ResponseCollector,
  streamAnswer,
} from "@troupe/core/adapter";
import type { CallContext, EventBatch, ModelChunk, ModelResponse } from "@troupe/core/adapter";
import { clientConnection, httpConnection, keySourcesOf } from "./connection.ts";
import type { ChatConnection } from "./connection.ts";
import { OllamaError } from "./errors.ts";
import { EventReader } from "./from-events.ts";
import { rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";
import { readModelOptions } from "./options.ts";
import type { OllamaOptions, ProviderSettings } from "./options.ts";
import { providerId } from "./provider-id.ts";
import { toRequest } from "./to-request.ts";
import type { WireLine, WireRequest } from "./wire-types.ts";

/**
 * Creates a model on an Ollama server, by default on this machine, or behind the client in the options. Throws
 * `invalid_config` for wrong options.
 */
export function ollama(modelId: string, options: OllamaOptions = {}): ModelProvider {
  return new OllamaModel(modelId, readModelOptions(modelId, options));
}

class OllamaModel implements ModelProvider {
  readonly providerId = providerId;
  readonly modelId: string;
  readonly #settings: ProviderSettings;
  readonly #network: Network;
  readonly #connection: ChatConnection;
  #rules: ModelRules;

  constructor(modelId: string, settings: ProviderSettings) {
    const { client, network, rules } = settings;
    this.modelId = modelId;
    this.#settings = settings;
    this.#network = new Network(network);
    this.#connection = client === undefined ? httpConnection(this.#network, settings) : clientConnection(client);
    this.#rules = rulesOf(modelId, rules);
  }

  /** Collects a stream: while a whole answer is awaited, a busy server and a dead one look the same. */
  async generate(messages: readonly ChatMessage[], options?: ModelOptions): Promise<ModelResponse> {
    return await collectResponse(this.stream(messages, options));
  }

  stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<ModelChunk, void> {
    const { modelId } = this;
    return streamAnswer(async () => {
      const call = await this.#openCall(options);
      const open = async () => ({
        events: await this.#open(messages, options, call),
        reader: new EventReader(modelId),
        fromWhole: (line: unknown) => fromLine(line as WireLine, modelId),
      });
      return { call, open };
    });
  }

  /** Sends the request, and again without thinking when the server answers that the model cannot think. */
  async #open(
    messages: readonly ChatMessage[],
    options: ModelOptions,
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

  async #openCall({ apiKey: request, signal }: ModelOptions): Promise<CallContext> {
    const { apiKey: config, baseURL, client } = this.#settings;
    if (client !== undefined) return openClientCall(providerId, { apiKey: request, signal });
    return await this.#network.openCall({ providerId, request, config, signal, ...keySourcesOf(baseURL) });
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

/** Reads an answer that came in one piece, which has the form of a last line. */
function fromLine(line: WireLine, modelId: string): ModelResponse {
  const reader = new EventReader(modelId);
  const chunks: ModelChunk[] = [];
  reader.read(line, chunks);
  if (!reader.isComplete) reader.end();
  const collector = new ResponseCollector();
  for (const chunk of chunks) collector.add(chunk);
  return collector.finish();
}
