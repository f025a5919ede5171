import type { ChatMessage, ModelProvider } from "@troupe/core";
import { createRequestContext, generateAnswer, streamAnswer } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { CallContext, Connection, ModelCallOptions, ModelChunk } from "@troupe/core/provider";
import { httpConnection } from "./connection.ts";
import { TideEventReader } from "./from-events.ts";
import { fromResponse } from "./from-response.ts";
import { providerId, readModelOptions } from "./options.ts";
import type { ProviderSettings, TideOptions } from "./options.ts";
import { toRequest } from "./to-request.ts";
import type { WireEvent, WireRequest } from "./wire-types.ts";

/** Creates a model of Tide, a vendor that does not exist. Throws `invalid_config` for wrong options. */
export function tide(modelId: string, options: TideOptions = {}): ModelProvider {
  return new TideModel(readModelOptions(modelId, options));
}

class TideModel implements ModelProvider {
  readonly providerId = providerId;
  readonly modelId: string;
  readonly #settings: ProviderSettings;
  readonly #connection: Connection<WireRequest, WireEvent>;

  constructor(settings: ProviderSettings) {
    this.modelId = settings.modelId;
    this.#settings = settings;
    this.#connection = httpConnection(settings);
  }

  async generate(messages: readonly ChatMessage[], options: ModelCallOptions = {}): Promise<ModelResponse> {
    const request = this.#toRequest(messages, options);
    return await generateAnswer(async () => {
      const call = await this.#openCall(options);
      return { call, send: async () => fromResponse(await this.#connection.send(request, call), this) };
    });
  }

  stream(messages: readonly ChatMessage[], options: ModelCallOptions = {}): AsyncGenerator<ModelChunk, void> {
    return streamAnswer(async () => {
      const request = this.#toRequest(messages, options);
      const call = await this.#openCall(options);
      const open = async () => ({
        events: await this.#connection.open(request, call),
        reader: new TideEventReader(this),
        fromWhole: (body: unknown) => fromResponse(body, this),
      });
      return { call, open };
    });
  }

  #toRequest(messages: readonly ChatMessage[], options: ModelCallOptions): WireRequest {
    const { logger } = this.#settings;
    return toRequest(messages, options, createRequestContext(this, { rules: undefined, logger }, options));
  }

  async #openCall({ apiKey, signal }: ModelCallOptions): Promise<CallContext> {
    const environment = ["TIDE_API_KEY"];
    return await this.#settings.network.openCall({ providerId, apiKey, signal, environment });
  }
}
