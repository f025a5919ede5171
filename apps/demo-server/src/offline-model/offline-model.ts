import type { ChatMessage, ModelOptions, ModelProvider, StreamChunk } from "@troupe/core";
import { collectResponse, sleep, toTroupeError } from "@troupe/core/adapter";
import type { ModelResponse } from "@troupe/core/adapter";
import { composeReply } from "./compose-reply.ts";
import { countUsage } from "./count-usage.ts";
import { cutReply } from "./cut-reply.ts";
import { replyChunks } from "./reply-chunks.ts";

/**
 * Stands in for a language model where there is no key and no network. It looks for a handful of patterns in what it is
 * asked, calls the tools that fit, and says what it found or that it knows nothing of this. It never pretends to understand.
 */
export class OfflineModel implements ModelProvider {
  readonly providerId = "offline";
  readonly modelId = "patterns";
  readonly #wordMs: number;

  /** `wordMs` is the time that a word takes. */
  constructor({ wordMs = 40 }: { wordMs?: number } = {}) {
    this.#wordMs = wordMs;
  }

  /** Takes as long as the stream, as a vendor does. */
  async generate(messages: readonly ChatMessage[], options?: ModelOptions): Promise<ModelResponse> {
    return await collectResponse(this.stream(messages, options));
  }

  async *stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<StreamChunk, void> {
    const { signal } = options;
    try {
      const { reply, finishReason } = cutReply(composeReply(messages, options), options);
      for (const chunk of replyChunks(reply)) {
        await sleep(this.#wordMs, signal);
        yield chunk;
      }
      signal?.throwIfAborted();
      yield { type: "finish", finishReason, usage: countUsage(messages, options, reply) };
    } catch (error) {
      throw toTroupeError(error, signal);
    }
  }
}
