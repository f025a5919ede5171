import type { ChatMessage, ModelProvider, ModelResponse } from "@troupe/core";
import { collectResponse, createRequestContext, generateAnswer, streamAnswer } from "@troupe/core/provider";
import type { ModelCallOptions, ModelChunk } from "@troupe/core/provider";
import { createOpenCall } from "./access.ts";
import { ConverseConnection } from "./connection.ts";
import { BedrockEventReader } from "./from-events.ts";
import { fromResponse } from "./from-response.ts";
import { providerId, readModelOptions } from "./options.ts";
import type { BedrockOptions, ProviderSettings } from "./options.ts";
import { toRequest } from "./to-request.ts";
import type { WireRequest } from "./wire-types.ts";

/**
 * Creates a model of Amazon Bedrock that is called through the Converse API. `modelId` is the id of a model or of an
 * inference profile, or an ARN. Throws `invalid_config` for wrong options.
 */
export function bedrock(modelId: string, options: BedrockOptions = {}): ModelProvider {
  return new BedrockModel(readModelOptions(modelId, options));
}

class BedrockModel implements ModelProvider {
  readonly providerId = providerId;
  readonly modelId: string;
  readonly #settings: ProviderSettings;
  readonly #connection: ConverseConnection;
  readonly #openCall: ReturnType<typeof createOpenCall>;

  constructor(settings: ProviderSettings) {
    this.modelId = settings.modelId;
    this.#settings = settings;
    this.#connection = new ConverseConnection(settings);
    this.#openCall = createOpenCall(settings);
  }

  async generate(messages: readonly ChatMessage[], options: ModelCallOptions = {}): Promise<ModelResponse> {
    const request = this.#toRequest(messages, options);
    // Calls with tools are streamed, because only a stream shows that the arguments of a tool call were truncated.
    const isStreamed = request.toolConfig !== undefined && !this.#isWhole(request);
    if (isStreamed) return await collectResponse(this.#stream(() => request, options));
    return await generateAnswer(async () => {
      const opened = await this.#openCall(options);
      const send = async () => fromResponse(await this.#connection.send(request, opened), this);
      return { call: opened.call, send };
    });
  }

  stream(messages: readonly ChatMessage[], options: ModelCallOptions = {}): AsyncGenerator<ModelChunk, void> {
    return this.#stream(() => this.#toRequest(messages, options), options);
  }

  #stream(prepare: () => WireRequest, options: ModelCallOptions): AsyncGenerator<ModelChunk, void> {
    return streamAnswer(async () => {
      const request = prepare();
      const opened = await this.#openCall(options);
      const open = async () => ({
        events: await this.#connection.open(request, opened, this.#isWhole(request)),
        reader: new BedrockEventReader(this),
        fromWhole: (body: unknown) => fromResponse(body, this),
      });
      return { call: opened.call, open };
    });
  }

  /** Returns true for a request whose answer the model cannot stream: some models cannot stream tool calls. */
  #isWhole({ toolConfig }: WireRequest): boolean {
    return toolConfig !== undefined && this.#settings.rules.tools === "whole";
  }

  #toRequest(messages: readonly ChatMessage[], options: ModelCallOptions): WireRequest {
    const { rules, logger, promptCache } = this.#settings;
    return toRequest(messages, options, { ...createRequestContext(this, { rules, logger }, options), promptCache });
  }
}
