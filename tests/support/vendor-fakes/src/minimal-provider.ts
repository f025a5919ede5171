import { ModelError } from "@troupe/core";
import type { ChatMessage, FinishReason, ModelOptions, ModelProvider, StreamChunk, TokenUsage } from "@troupe/core";
import { Network, toTroupeError } from "@troupe/core/kit";
import { collectResponse, readSse, requireKey } from "@troupe/core/provider";
import type { ModelResponse, NetworkOptions } from "@troupe/core";
import type { HttpSender, ResolvedKey } from "@troupe/core/provider";

type Delta = {
  content?: string;
  reasoning_content?: string;
  tool_calls?: { index: number; id?: string; function: { name?: string; arguments: string } }[];
};
type Usage = { prompt_tokens: number; completion_tokens: number; total_tokens: number } & {
  prompt_tokens_details?: { cached_tokens?: number };
  completion_tokens_details?: { reasoning_tokens?: number };
};
type Frame = {
  choices?: { delta: Delta; finish_reason: string | null }[];
  usage?: Usage | null;
  error?: { message: string };
};

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
};

/**
 * Options of `MinimalProvider`: the URL and the key of the vendor, and the function that sends instead of the shared
 * connections.
 */
export type MinimalProviderOptions = Pick<NetworkOptions, "fetch"> & {
  url: string;
  apiKey: string;
  idleTimeoutMs?: number | undefined;
};

/** A minimal `ModelProvider` that passes its conformance suite: Chat Completions over core's network, without tools or settings. */
export class MinimalProvider implements ModelProvider {
  readonly providerId = "minimal";
  readonly modelId = "gpt-4.1";
  readonly #options: MinimalProviderOptions;
  readonly #network: HttpSender;

  constructor(options: MinimalProviderOptions) {
    this.#options = options;
    this.#network = new Network({ fetch: options.fetch });
  }

  async generate(messages: readonly ChatMessage[], options?: ModelOptions): Promise<ModelResponse> {
    return await collectResponse(this.stream(messages, options));
  }

  async *stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<StreamChunk, void> {
    const { providerId } = this;
    const key = await requireKey({ providerId, request: options.apiKey, config: this.#options.apiKey });
    try {
      options.signal?.throwIfAborted();
      yield* toChunks(this.#frames(messages, key, options.signal));
    } catch (error) {
      if (error instanceof ModelError || options.signal?.aborted) throw toTroupeError(error, options.signal);
      throw new ModelError({ providerId, key, cause: error, ...statusOf(error) });
    }
  }

  #body(messages: readonly ChatMessage[]): object {
    return {
      model: this.modelId,
      messages: messages.map(toWire),
      stream: true,
      stream_options: { include_usage: true },
    };
  }

  async *#frames(messages: readonly ChatMessage[], key: ResolvedKey, signal?: AbortSignal): AsyncGenerator<Frame> {
    const { providerId } = this;
    const response = await this.#network.send(`${this.#options.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key.value}`, "content-type": "application/json" },
      body: JSON.stringify(this.#body(messages)),
      signal,
      idleTimeoutMs: this.#options.idleTimeoutMs,
    });
    if (response.status !== 200) {
      const seconds = Number(response.headers.get("retry-after") ?? NaN);
      await response.bytes.return?.();
      throw new ModelError({ providerId, status: response.status, retryAfterMs: seconds * 1000, key });
    }
    for await (const { data } of readSse(response.bytes, signal === undefined ? {} : { signal }))
      if (data !== "[DONE]") yield JSON.parse(data) as Frame;
  }
}

function toWire({ role, content, toolCalls, toolCallId }: ChatMessage): object {
  const calls = toolCalls?.map(({ id, name, arguments: args }) => {
    return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
  });
  return {
    role,
    content,
    ...(calls && { tool_calls: calls }),
    ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  };
}

async function* toChunks(frames: AsyncIterable<Frame>): AsyncGenerator<StreamChunk, void> {
  const ids: string[] = [];
  let end: { reason?: string; usage?: Usage } = {};
  for await (const { error, choices = [], usage } of frames) {
    if (error !== undefined) throw new VendorError(error.message);
    for (const { delta, finish_reason: reason } of choices) {
      yield* deltaChunks(delta, ids);
      if (reason !== null) end = { ...end, reason };
    }
    if (usage) end = { ...end, usage };
  }
  yield* endChunks(end, ids);
}

function* endChunks({ reason, usage }: { reason?: string; usage?: Usage }, ids: string[]): Generator<StreamChunk> {
  if (reason === undefined)
    throw Object.assign(new Error("The response ended before its finish reason."), { code: "ECONNRESET" });
  for (const toolCallId of ids) yield { type: "tool_call_end", toolCallId };
  yield { type: "finish", finishReason: reasons[reason] ?? "other", ...(usage && { usage: toUsage(usage) }) };
}

function* deltaChunks(delta: Delta, ids: string[]): Generator<StreamChunk> {
  if (delta.reasoning_content) yield { type: "thinking", text: delta.reasoning_content };
  if (delta.content) yield { type: "text", text: delta.content };
  for (const { index, id, function: call } of delta.tool_calls ?? []) {
    if (id !== undefined) yield { type: "tool_call_start", toolCall: { id, name: call.name ?? "" } };
    ids[index] ??= id ?? "";
    const toolCallId = ids[index];
    if (call.arguments !== "") yield { type: "tool_call_delta", toolCallId, argumentsDelta: call.arguments };
  }
}

function toUsage(usage: Usage): TokenUsage {
  const [cachedTokens, reasoningTokens] = [
    usage.prompt_tokens_details?.cached_tokens,
    usage.completion_tokens_details?.reasoning_tokens,
  ];
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    totalTokens: usage.total_tokens,
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    providerMetrics: usage,
  };
}

/** An error that the vendor reported within its stream. */
class VendorError extends Error {}

function statusOf(error: unknown): { status?: number } {
  return error instanceof VendorError ? { status: 500 } : {};
}
