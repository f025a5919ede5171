import { createLogger } from "@troupe/core";
import type { ChatMessage, Logger, ModelOptions, ModelProvider } from "@troupe/core";
import { createOmissionReport, drainReply, PartReader } from "@troupe/core/adapter";
import type { ModelChunk, ModelResponse, ResolvedKey } from "@troupe/core/adapter";
import type { Api, ApiName, ModelCall } from "./model-call.ts";
import { chatApi } from "./chat/chat-api.ts";
import { openAIBaseURL, readModelOptions } from "./openai-options.ts";
import type { OpenAIOptions } from "./openai-options.ts";
import { Connections } from "./connections.ts";
import type { Connection, SendOptions } from "./connections.ts";
import { findKey } from "./find-key.ts";
import { isOpenAIHost, rulesOf } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";
import { providerId } from "./provider-id.ts";
import { responsesApi } from "./responses/responses-api.ts";
import { StreamReader } from "./stream-reader.ts";
import { readRefusal, toModelError } from "./to-model-error.ts";

/**
 * Creates a model of OpenAI, or of any server with its Chat Completions API. Throws `invalid_config` for wrong options.
 * The first model call loads the package `openai`.
 */
export function openai(modelId: string, config: OpenAIOptions = {}): ModelProvider {
  return new OpenAIModel(modelId, readModelOptions(modelId, config));
}

const apis: Readonly<Record<ApiName, Api>> = { responses: responsesApi, chat: chatApi };

type PendingCall = {
  messages: readonly ChatMessage[];
  options: ModelOptions;
  key: ResolvedKey | undefined;
  signal: AbortSignal | undefined;
  stream: boolean;
};

type OpenAnswer = { api: Api; call: ModelCall; reply: Response };

class OpenAIModel implements ModelProvider {
  readonly providerId = providerId;
  readonly modelId: string;
  readonly #config: OpenAIOptions;
  readonly #isOpenAI: boolean;
  readonly #rules: ModelRules;
  readonly #connections: Connections;
  readonly #logger: Logger;

  constructor(modelId: string, config: OpenAIOptions) {
    const { baseURL = openAIBaseURL, logger = createLogger(), rules } = config;
    const host = new URL(baseURL).hostname;
    this.modelId = modelId;
    this.#config = config;
    this.#isOpenAI = isOpenAIHost(host);
    this.#rules = rulesOf({ id: modelId, host }, rules);
    this.#connections = new Connections(baseURL);
    this.#logger = logger;
  }

  async generate(messages: readonly ChatMessage[], options: ModelOptions = {}): Promise<ModelResponse> {
    const pending = await this.#pending(messages, options, false);
    try {
      const { api, call, reply } = await this.#send(pending);
      return api.fromResponse(JSON.parse(await reply.text()), call);
    } catch (error) {
      throw toModelError(error, pending);
    }
  }

  // A single generator: every further one costs promises for each chunk.
  async *stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<ModelChunk, void> {
    const pending = await this.#pending(messages, options, true);
    const { signal } = pending;
    try {
      const { api, call, reply } = await this.#send(pending);
      const reader = new StreamReader(api.createReader(call));
      const bytes = bytesOf(reply);
      for await (const piece of bytes) {
        for (const chunk of reader.push(piece)) {
          signal?.throwIfAborted();
          yield chunk;
        }
        reader.throwFailure();
        if (reader.isComplete) {
          await drainReply(bytes);
          return;
        }
      }
      yield* reader.finish();
    } catch (error) {
      throw toModelError(error, pending);
    }
  }

  async #pending(messages: readonly ChatMessage[], options: ModelOptions, stream: boolean): Promise<PendingCall> {
    const key = await findKey({ request: options.apiKey, config: this.#config.apiKey, isOpenAI: this.#isOpenAI });
    return { messages, options, key, signal: options.signal, stream };
  }

  /** Sends the request, and again under weaker rules when the vendor refuses it. */
  async #send(pending: PendingCall): Promise<OpenAnswer> {
    pending.signal?.throwIfAborted();
    const api = apis[this.#apiFor(pending.messages)];
    const connection = await this.#connections.open(pending.key);
    for (;;) {
      const call = this.#call(pending, connection);
      const body = api.toRequest(call);
      try {
        const reply = await connection.post({ path: api.path, body }, this.#sendOptions(pending));
        return { api, call, reply };
      } catch (error) {
        const refusal = readRefusal(error);
        const weaker = refusal && api.weaken({ ...refusal, isOpenAI: this.#isOpenAI }, body);
        if (weaker === undefined) throw error;
        connection.learned = { ...connection.learned, ...weaker };
      }
    }
  }

  #call({ messages, options, stream }: PendingCall, { learned }: Connection): ModelCall {
    const { modelId } = this;
    const reportOmitted = createOmissionReport(this, { logger: this.#logger, onOmitted: options.onOmitted });
    return {
      api: this.#apiFor(messages),
      modelId,
      messages,
      parts: new PartReader(messages, reportOmitted),
      options,
      rules: { ...this.#rules, ...learned },
      stream,
      reportOmitted,
    };
  }

  #apiFor(messages: readonly ChatMessage[]): ApiName {
    const { api = "auto" } = this.#config;
    if (api !== "auto") return api;
    // Responses take no audio. For a model without audio, Responses are used even when the history has some.
    const isHeard = this.#rules.parts.includes("audio") && messages.some(hasAudio);
    return this.#isOpenAI && !isHeard ? "responses" : "chat";
  }

  #sendOptions({ signal, stream }: PendingCall): SendOptions {
    const { timeoutMs = 600_000, idleTimeoutMs = 60_000 } = this.#config;
    return { signal, idleTimeoutMs, headersTimeoutMs: stream ? idleTimeoutMs : timeoutMs };
  }
}

function hasAudio({ content }: ChatMessage): boolean {
  return Array.isArray(content) && content.some(({ type }) => type === "audio");
}

function bytesOf({ body }: Response): AsyncIterableIterator<Uint8Array> {
  return (body as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]() as AsyncIterableIterator<Uint8Array>;
}
