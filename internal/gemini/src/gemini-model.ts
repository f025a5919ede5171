import type { ChatMessage, ModelProvider } from "@troupe/core";
import { createRequestContext, generateAnswer, PrivateUrls, streamAnswer } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { ModelCallOptions, ModelChunk } from "@troupe/core/provider";
import type { OpenCall } from "./access.ts";
import { clientConnection, httpConnection } from "./connection.ts";
import type { GeminiConnection } from "./connection.ts";
import { GeminiEventReader } from "./from-events.ts";
import { fromResponse } from "./from-response.ts";
import type { ProviderSettings } from "./options.ts";
import { toRequest } from "./to-request.ts";
import type { RequestBody } from "./to-request.ts";

/**
 * Settings of `createGeminiModel`: the settings of the model, and the function that opens its calls. `isCloud`: Google
 * Cloud (Vertex) instead of the Gemini API.
 */
export type GeminiModelSettings = ProviderSettings & { providerId: string; isCloud: boolean; openCall: OpenCall };

/** Creates a model with Gemini's format, for `google` and `vertex`, which differ in address and credentials. */
export function createGeminiModel(settings: GeminiModelSettings): ModelProvider {
  return new GeminiModel(settings);
}

class GeminiModel implements ModelProvider {
  readonly providerId: string;
  readonly modelId: string;
  readonly #settings: GeminiModelSettings;
  readonly #connection: GeminiConnection;
  readonly #openCall: OpenCall;
  readonly #urls: PrivateUrls;

  constructor(settings: GeminiModelSettings) {
    const { providerId, modelId, client, openCall } = settings;
    this.providerId = providerId;
    this.modelId = modelId;
    this.#settings = settings;
    this.#connection =
      client === undefined ? httpConnection(settings) : clientConnection(client, settings.idleTimeoutMs);
    this.#openCall = openCall;
    this.#urls = new PrivateUrls(settings.allowPrivateUrls);
  }

  async generate(messages: readonly ChatMessage[], options: ModelCallOptions = {}): Promise<ModelResponse> {
    return await generateAnswer(async () => {
      const { modelId } = this;
      const body = await this.#toRequest(messages, options);
      const { call, access } = await this.#openCall(options);
      const send = async () => fromResponse(await this.#connection.send({ modelId, body, access }, call), this);
      return { call, send };
    });
  }

  stream(messages: readonly ChatMessage[], options: ModelCallOptions = {}): AsyncGenerator<ModelChunk, void> {
    return streamAnswer(async () => {
      const { modelId } = this;
      const body = await this.#toRequest(messages, options);
      const { call, access } = await this.#openCall(options);
      const open = async () => ({
        events: await this.#connection.open({ modelId, body, access }, call),
        reader: new GeminiEventReader(this),
        fromWhole: (answer: unknown) => fromResponse(answer, this),
      });
      return { call, open };
    });
  }

  async #toRequest(messages: readonly ChatMessage[], options: ModelCallOptions): Promise<RequestBody> {
    const { isCloud, rules, logger } = this.#settings;
    const isPrivateUrl = await this.#urls.check(messages);
    const context = createRequestContext(this, { rules, logger, isPrivateUrl }, options);
    return toRequest(messages, options, { ...context, isCloud });
  }
}
