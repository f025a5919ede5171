import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
import {
  collectResponse,
  createOmissionReport,
  generateAnswer,
  Network,
  openClientCall,
  streamAnswer,
} from "@troupe/core/adapter";
import type { CallContext, ModelChunk, ModelResponse } from "@troupe/core/adapter";
import { clientConnection, expectedMs, httpConnection } from "./connection.ts";
import type { MessagesConnection } from "./connection.ts";
import { ContinuedEvents } from "./continued-events.ts";
import { EventReader } from "./from-events.ts";
import { fromResponse } from "./from-response.ts";
import { readModelOptions } from "./options.ts";
import type { AnthropicOptions, ProviderSettings } from "./options.ts";
import { toRequest } from "./to-request.ts";
import type { Request } from "./to-request.ts";

/**
 * Creates a Claude model that is called through Anthropic's Messages API, or through the client in the options. Throws
 * `invalid_config` for wrong options.
 */
export function anthropic(modelId: string, options: AnthropicOptions = {}): ModelProvider {
  return new AnthropicModel(readModelOptions(modelId, options));
}

/** A call that may take longer than this limit is streamed. */
const longestWholeMs = 600_000;

class AnthropicModel implements ModelProvider {
  readonly providerId = "anthropic";
  readonly modelId: string;
  readonly #settings: ProviderSettings;
  readonly #network: Network;
  readonly #connection: MessagesConnection;

  constructor(settings: ProviderSettings) {
    const { modelId, client, network } = settings;
    this.modelId = modelId;
    this.#settings = settings;
    this.#network = new Network(network);
    this.#connection = client === undefined ? httpConnection(this.#network, settings) : clientConnection(client);
  }

  async generate(messages: readonly ChatMessage[], options: ModelOptions = {}): Promise<ModelResponse> {
    const request = this.#toRequest(messages, options);
    // A whole answer does not show that the arguments of a call were truncated; a stream does.
    const isStreamed = request.body.tools !== undefined || expectedMs(request) > longestWholeMs;
    if (isStreamed) return await collectResponse(this.#stream(() => request, options));
    return await generateAnswer(async () => {
      const call = await this.#openCall(options);
      return { call, send: async () => fromResponse(await this.#connection.send(request, call), this) };
    });
  }

  stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<ModelChunk, void> {
    return this.#stream(() => this.#toRequest(messages, options), options);
  }

  #stream(prepare: () => Request, options: ModelOptions): AsyncGenerator<ModelChunk, void> {
    return streamAnswer(async () => {
      const request = prepare();
      const call = await this.#openCall(options);
      const openPart = (part: Request) => this.#connection.open(part, call);
      const open = async () => {
        const reader = new EventReader(this);
        const events = await ContinuedEvents.open(request, reader, openPart);
        return { events, reader, fromWhole: (body: unknown) => fromResponse(body, this) };
      };
      return { call, open };
    });
  }

  #toRequest(messages: readonly ChatMessage[], options: ModelOptions): Request {
    const { rules, promptCache, logger } = this.#settings;
    const reportOmitted = createOmissionReport(this, { logger, onOmitted: options.onOmitted });
    const reportReplaced = createOmissionReport(this, { logger });
    return toRequest(messages, options, { model: this, rules, promptCache, reportOmitted, reportReplaced });
  }

  async #openCall({ apiKey, signal }: ModelOptions): Promise<CallContext> {
    const { providerId } = this;
    const { client, apiKey: config } = this.#settings;
    if (client !== undefined) return openClientCall(providerId, { apiKey, signal });
    const environment = ["ANTHROPIC_API_KEY"];
    return await this.#network.openCall({ providerId, request: apiKey, config, environment, signal });
  }
}
