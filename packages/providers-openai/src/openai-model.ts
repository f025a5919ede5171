import { createLogger } from "@troupe/core";
import type { ChatMessage, Logger, ModelOptions, ModelProvider } from "@troupe/core";
import { PartReader, readToEnd } from "@troupe/core/adapter";
import type { ModelChunk, ModelResponse, ResolvedKey } from "@troupe/core/adapter";
import type { Api, ApiName, Call } from "./call.ts";
import { chatApi } from "./chat/chat-api.ts";
import { openAIBaseURL, readModelOptions } from "./openai-options.ts";
import type { OpenAIOptions } from "./openai-options.ts";
import { Connections } from "./connections.ts";
import type { Connection, Waiting } from "./connections.ts";
import { findKey } from "./find-key.ts";
import { isOpenAIHost, modelRules } from "./model-rules.ts";
import type { ModelRules } from "./model-rules.ts";
import { providerId } from "./provider-id.ts";
import { responsesApi } from "./responses/responses-api.ts";
import { StreamedAnswer } from "./streamed-answer.ts";
import { readRefusal, toModelError } from "./to-model-error.ts";

/**
 * Creates a model of OpenAI, or of any server with its Chat Completions API. Throws `invalid_config` for wrong options.
 * The first model call loads the package `openai`.
 */
export function openai(modelId: string, config: OpenAIOptions = {}): ModelProvider {
  return new OpenAIModel(modelId, readModelOptions(modelId, config));
}

const apis: Readonly<Record<ApiName, Api>> = { responses: responsesApi, chat: chatApi };

type Asking = {
  messages: readonly ChatMessage[];
  options: ModelOptions;
  key: ResolvedKey | undefined;
  signal: AbortSignal | undefined;
  stream: boolean;
};

type Answering = { api: Api; call: Call; reply: Response };

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
    this.#rules = modelRules({ id: modelId, host }, rules);
    this.#connections = new Connections(baseURL);
    this.#logger = logger;
  }

  async generate(messages: readonly ChatMessage[], options: ModelOptions = {}): Promise<ModelResponse> {
    const asking = this.#asking(messages, options, false);
    try {
      const { api, call, reply } = await this.#ask(asking);
      return api.fromResponse(JSON.parse(await reply.text()), call);
    } catch (error) {
      throw toModelError(error, asking);
    }
  }

  // A single generator: every further one costs promises for each chunk.
  async *stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<ModelChunk, void> {
    const asking = this.#asking(messages, options, true);
    const { signal } = asking;
    try {
      const { api, call, reply } = await this.#ask(asking);
      const answer = new StreamedAnswer(api.createReader(call));
      const bytes = bytesOf(reply);
      for await (const piece of bytes) {
        for (const chunk of answer.read(piece)) {
          signal?.throwIfAborted();
          yield chunk;
        }
        answer.check();
        if (answer.isComplete) {
          await readToEnd(bytes);
          return;
        }
      }
      yield* answer.end();
    } catch (error) {
      throw toModelError(error, asking);
    }
  }

  #asking(messages: readonly ChatMessage[], options: ModelOptions, stream: boolean): Asking {
    const key = findKey({ request: options.apiKey, config: this.#config.apiKey, isOpenAI: this.#isOpenAI });
    return { messages, options, key, signal: options.signal, stream };
  }

  /** Sends the request, and again under weaker rules when the vendor refuses it. */
  async #ask(asking: Asking): Promise<Answering> {
    asking.signal?.throwIfAborted();
    const api = apis[this.#apiFor(asking.messages)];
    const connection = await this.#connections.open(asking.key);
    for (;;) {
      const call = this.#call(asking, connection);
      const body = api.toRequest(call);
      try {
        const reply = await connection.post({ path: api.path, body, waiting: this.#waiting(asking) });
        return { api, call, reply };
      } catch (error) {
        const refusal = readRefusal(error);
        const weaker = refusal && api.weaken({ ...refusal, isOpenAI: this.#isOpenAI }, body);
        if (weaker === undefined) throw error;
        connection.learned = { ...connection.learned, ...weaker };
      }
    }
  }

  #call({ messages, options, stream }: Asking, { learned }: Connection): Call {
    const { modelId } = this;
    const leaveOut: Call["leaveOut"] = (what, reason) =>
      this.#logger.debug(`${what} is left out: ${reason}.`, { modelId });
    return {
      api: this.#apiFor(messages),
      modelId,
      messages,
      parts: new PartReader(messages, leaveOut),
      options,
      rules: { ...this.#rules, ...learned },
      stream,
      leaveOut,
    };
  }

  #apiFor(messages: readonly ChatMessage[]): ApiName {
    const { api = "auto" } = this.#config;
    if (api !== "auto") return api;
    // Responses take no audio. For a model without audio, Responses are used even when the history has some.
    const isHeard = this.#rules.parts.includes("audio") && messages.some(hasAudio);
    return this.#isOpenAI && !isHeard ? "responses" : "chat";
  }

  #waiting({ signal, stream }: Asking): Waiting {
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
