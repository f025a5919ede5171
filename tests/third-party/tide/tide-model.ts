import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
import { createOmissionReport, generateAnswer, Network, streamAnswer } from "@troupe/core/adapter";
import type { CallContext, Connection, ModelChunk, ModelResponse } from "@troupe/core/adapter";
import { httpConnection } from "./connection.ts";
import { TideReader } from "./from-events.ts";
import { fromResponse } from "./from-response.ts";
import { readModelOptions } from "./options.ts";
import type { ProviderSettings, TideOptions } from "./options.ts";
import { toRequest } from "./to-request.ts";
import type { WireEvent, WireRequest } from "./wire-types.ts";

/** Creates a model of Tide, a vendor that does not exist. Throws `invalid_config` for wrong options. */
export function tide(modelId: string, options: TideOptions = {}): ModelProvider {
  return new TideModel(readModelOptions(modelId, options));
}

class TideModel implements ModelProvider {
  readonly providerId = "tide";
  readonly modelId: string;
  readonly #settings: ProviderSettings;
  readonly #network: Network;
  readonly #connection: Connection<WireRequest, WireEvent>;

  constructor(settings: ProviderSettings) {
    this.modelId = settings.modelId;
    this.#settings = settings;
    this.#network = new Network(settings.network);
    this.#connection = httpConnection(this.#network, settings);
  }

  async generate(messages: readonly ChatMessage[], options: ModelOptions = {}): Promise<ModelResponse> {
    const request = this.#toRequest(messages, options);
    return await generateAnswer(async () => {
      const call = await this.#openCall(options);
      return { call, send: async () => fromResponse(await this.#connection.send(request, call), this) };
    });
  }

  stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<ModelChunk, void> {
    return streamAnswer(async () => {
      const request = this.#toRequest(messages, options);
      const call = await this.#openCall(options);
      const open = async () => ({
        events: await this.#connection.open(request, call),
        reader: new TideReader(this),
        fromWhole: (body: unknown) => fromResponse(body, this),
      });
      return { call, open };
    });
  }

  #toRequest(messages: readonly ChatMessage[], options: ModelOptions): WireRequest {
    const { logger } = this.#settings;
    const reportOmitted = createOmissionReport(this, { logger, onOmitted: options.onOmitted });
    return toRequest(messages, options, { model: this, reportOmitted });
  }

  async #openCall({ apiKey, signal }: ModelOptions): Promise<CallContext> {
    const { providerId } = this;
    const environment = ["TIDE_API_KEY"];
    return await this.#network.openCall({
      providerId,
      request: apiKey,
      config: this.#settings.apiKey,
      environment,
      signal,
    });
  }
}
