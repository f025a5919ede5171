import type { ChatMessage, ModelProvider } from "@troupe/core";
import {
  createOmissionReport,
  generateAnswer,
  ApiKeyCache,
  PartReader,
  PrivateUrls,
  streamAnswer,
} from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { CallContext, ModelCallOptions, ModelChunk } from "@troupe/core/provider";
import { chatApi } from "./chat/chat-api.ts";
import { clientConnection, httpConnection, keySourcesOf, takesKey } from "./connection.ts";
import type { OpenAIConnection } from "./connection.ts";
import { readRefusal } from "./errors.ts";
import type { Api, ApiName, ModelCall } from "./model-call.ts";
import { isOpenAIHost } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";
import { readModelOptions } from "./options.ts";
import type { OpenAIOptions, ProviderSettings } from "./options.ts";
import { responsesApi } from "./responses/responses-api.ts";

/**
 * Creates a model of OpenAI, or of any server with its Chat Completions API. It is called with our own HTTP client or
 * through the client in the options. Throws `invalid_config` for wrong options.
 */
export function openai(modelId: string, options: OpenAIOptions = {}): ModelProvider {
  return new OpenAIModel(readModelOptions(modelId, options));
}

const apis: Readonly<Record<ApiName, Api>> = { responses: responsesApi, chat: chatApi };

/**
 * The rules of a model as the refusals of its vendor have changed them, for one API key; undefined before the first
 * refusal.
 */
type Learned = { rules: ModelRules | undefined };

function nothingLearned(): Learned {
  return { rules: undefined };
}

/** A function that sends a request of a model call: `OpenAIConnection.send` or `open`. */
type Send<Answer> = (connection: OpenAIConnection, request: { api: ApiName; body: object }) => Promise<Answer>;

/** A model call, and the API that writes its requests and reads its answer. */
type WrittenCall = { api: Api; modelCall: ModelCall };

/**
 * The input of a model call: its messages, its options, and `stream`, which is true if the answer arrives in pieces.
 */
type Question = { messages: readonly ChatMessage[]; options: ModelCallOptions; stream: boolean };

type PrivateUrlCheck = Awaited<ReturnType<PrivateUrls["check"]>>;

/** A model of OpenAI, or of another vendor or server with one of its APIs. */
export class OpenAIModel implements ModelProvider {
  readonly providerId: string;
  readonly modelId: string;
  readonly #settings: ProviderSettings;
  readonly #connection: OpenAIConnection;
  readonly #isOpenAI: boolean;
  readonly #urls: PrivateUrls;
  /** The rules that refusals have changed, by API key. */
  readonly #learned = new ApiKeyCache(nothingLearned);

  constructor(settings: ProviderSettings) {
    const { vendor, modelId, client, host } = settings;
    this.providerId = vendor.id;
    this.modelId = modelId;
    this.#settings = settings;
    this.#connection = client === undefined ? httpConnection(settings) : clientConnection(client, settings);
    this.#isOpenAI = isOpenAIHost(host);
    this.#urls = new PrivateUrls(settings.allowPrivateUrls);
  }

  generate(messages: readonly ChatMessage[], options: ModelCallOptions = {}): Promise<ModelResponse> {
    return generateAnswer(async () => {
      const call = await this.#openCall(options);
      const send = async () => {
        const ask: Send<unknown> = (connection, request) => connection.send(request, call);
        const { answer, api, modelCall } = await this.#ask({ messages, options, stream: false }, call, ask);
        return api.fromResponse(answer, modelCall);
      };
      return { call, send };
    });
  }

  stream(messages: readonly ChatMessage[], options: ModelCallOptions = {}): AsyncGenerator<ModelChunk, void> {
    return streamAnswer(async () => {
      const call = await this.#openCall(options);
      const open = async () => {
        const {
          answer: events,
          api,
          modelCall,
        } = await this.#ask({ messages, options, stream: true }, call, (connection, request) =>
          connection.open(request, call),
        );
        const fromWhole = (body: unknown) => api.fromResponse(body, modelCall);
        return { events, reader: api.createReader(modelCall), fromWhole };
      };
      return { call, open };
    });
  }

  /** Sends the request of a model call. Repeats it with weaker rules if the vendor refuses it. */
  async #ask<Answer>(
    question: Question,
    { key }: CallContext,
    send: Send<Answer>,
  ): Promise<WrittenCall & { answer: Answer }> {
    const learned = this.#learned.get(key?.value);
    for (;;) {
      const isPrivateUrl = await this.#urls.check(question.messages);
      const modelCall = this.#toModelCall(question, isPrivateUrl, learned.rules);
      const api = apis[modelCall.api];
      const body = api.toRequest(modelCall);
      try {
        return { api, modelCall, answer: await send(this.#connection, { api: modelCall.api, body }) };
      } catch (error) {
        const refusal = readRefusal(error);
        const weaker = refusal && api.weaken({ ...refusal, isOpenAI: this.#isOpenAI }, body);
        if (weaker === undefined) throw error;
        // Another call with this key may have changed the rules while this call waited.
        learned.rules = { ...(learned.rules ?? modelCall.rules), ...weaker };
      }
    }
  }

  #toModelCall(
    { messages, options, stream }: Question,
    isPrivateUrl: PrivateUrlCheck,
    learned: ModelRules | undefined,
  ): ModelCall {
    const { modelId, rules, logger } = this.#settings;
    const reportOmitted = createOmissionReport(this, { logger, onOmitted: options.onOmitted });
    return {
      api: this.#apiFor(messages),
      providerId: this.providerId,
      modelId,
      messages,
      parts: new PartReader(messages, reportOmitted, { isPrivateUrl }),
      options,
      rules: learned ?? rules,
      stream,
      reportOmitted,
    };
  }

  #apiFor(messages: readonly ChatMessage[]): ApiName {
    const { api, rules } = this.#settings;
    if (api !== "auto") return api;
    // The Responses API accepts no audio. A model without audio uses Responses even if the history contains audio.
    const isHeard = rules.parts.includes("audio") && messages.some(hasAudio);
    return this.#isOpenAI && !isHeard ? "responses" : "chat";
  }

  #openCall({ apiKey, signal }: ModelCallOptions): Promise<CallContext> {
    const { client, network, vendor, host } = this.#settings;
    const clientTakesKey = takesKey(client);
    return network.openCall({ apiKey, signal, clientTakesKey, ...keySourcesOf(vendor, host) });
  }
}

function hasAudio({ content }: ChatMessage): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === "audio");
}
