import type { ChatMessage, ModelOptions, ModelProvider } from "@troupe/core";
import { collectResponse, createOmissionReport, KeyedCache, drainReply, requireKey } from "@troupe/core/adapter";
import type { ModelChunk, ModelResponse } from "@troupe/core/adapter";
import { readModelOptions } from "./anthropic-options.ts";
import type { AnthropicOptions, ProviderSettings } from "./anthropic-options.ts";
import { Connection } from "./connection.ts";
import type { SendOptions } from "./connection.ts";
import { fromResponse } from "./from-response.ts";
import { StreamReader } from "./stream-reader.ts";
import { toRequest } from "./to-request.ts";
import type { Request } from "./to-request.ts";
import { TruncatedResponseError, toModelError } from "./vendor-error.ts";
import type { CallContext } from "./vendor-error.ts";

/**
 * Creates a Claude model that is called through Anthropic's Messages API. Throws `invalid_config` for wrong options.
 * The first model call loads `@anthropic-ai/sdk`.
 */
export function anthropic(modelId: string, options: AnthropicOptions = {}): ModelProvider {
  return new AnthropicModel(readModelOptions(modelId, options));
}

/** The vendor expects an hour for 128,000 tokens. A call that may take longer than this limit is streamed. */
const longestWholeMs = 600_000;
const msPerToken = 3_600_000 / 128_000;

class AnthropicModel implements ModelProvider {
  readonly providerId = "anthropic";
  readonly modelId: string;
  readonly #settings: ProviderSettings;
  readonly #connections: KeyedCache<Promise<Connection>>;

  constructor(settings: ProviderSettings) {
    this.modelId = settings.modelId;
    this.#settings = settings;
    this.#connections = new KeyedCache((key = "") => Connection.open(key, settings));
  }

  async generate(messages: readonly ChatMessage[], options: ModelOptions = {}): Promise<ModelResponse> {
    const request = await this.#toRequest(messages, options);
    const expectedMs = Math.ceil(request.body.max_tokens * msPerToken);
    // A whole answer does not show that the arguments of a call were truncated; a stream does.
    if (request.body.tools !== undefined || expectedMs > longestWholeMs) {
      return await collectResponse(this.#stream(() => request, options));
    }
    const call = this.#open(options);
    try {
      const timeoutMs = Math.max(expectedMs, this.#settings.idleTimeoutMs);
      const response = await this.#send(request, call, { stream: false, timeoutMs });
      return fromResponse(await response.text(), this);
    } catch (error) {
      throw toModelError(error, call);
    }
  }

  stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<ModelChunk, void> {
    return this.#stream(() => this.#toRequest(messages, options), options);
  }

  // A single generator: every further one costs each chunk three more promises.
  async *#stream(prepare: () => Request | Promise<Request>, options: ModelOptions): AsyncGenerator<ModelChunk, void> {
    const request = await prepare();
    const call = this.#open(options);
    let bytes: AsyncIterator<Uint8Array, undefined> | undefined;
    try {
      const reader = new StreamReader(this);
      const response = await this.#send(request, call, { stream: true, timeoutMs: this.#settings.idleTimeoutMs });
      bytes = bytesOf(response);
      while (!reader.isComplete) {
        const step = await bytes.next();
        if (step.done === true) throw new TruncatedResponseError("The stream ended before its last event.");
        for (const chunk of reader.push(step.value)) yield chunk;
        reader.throwFailure();
      }
      await drainReply(bytes);
    } catch (error) {
      throw toModelError(error, call);
    } finally {
      await bytes?.return?.();
    }
  }

  async #toRequest(messages: readonly ChatMessage[], options: ModelOptions): Promise<Request> {
    const { rules, promptCache, logger } = this.#settings;
    const reportOmitted = createOmissionReport(this, { logger, onOmitted: options.onOmitted });
    const reportReplaced = createOmissionReport(this, { logger });
    return await toRequest(messages, options, { model: this, rules, promptCache, reportOmitted, reportReplaced });
  }

  #open(options: ModelOptions): CallContext {
    const { providerId } = this;
    const { apiKey: config } = this.#settings;
    const key = requireKey({ providerId, request: options.apiKey, config, environment: ["ANTHROPIC_API_KEY"] });
    return { providerId, key, signal: options.signal };
  }

  async #send(request: Request, { key, signal }: CallContext, options: Omit<SendOptions, "signal">): Promise<Response> {
    signal?.throwIfAborted();
    const connection = await this.#connections.get(key.value);
    return await connection.post(request, { ...options, signal });
  }
}

function bytesOf({ body }: Response): AsyncIterator<Uint8Array, undefined> {
  if (body === null) throw new TruncatedResponseError("The answer has no body.");
  return (body as unknown as AsyncIterable<Uint8Array, undefined>)[Symbol.asyncIterator]();
}
