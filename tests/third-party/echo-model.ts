import { getTextContent } from "@troupe/core";
import type { ChatMessage, ModelOptions, ModelProvider, ModelResponse, StreamChunk } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import { toTroupeError } from "@troupe/core/kit";

/** A third party's model without a vendor: it repeats the text of the last message. */
export class EchoModel implements ModelProvider {
  readonly providerId = "echo";
  readonly modelId = "echo-1";

  async generate(messages: readonly ChatMessage[], options?: ModelOptions): Promise<ModelResponse> {
    return await collectResponse(this.stream(messages, options));
  }

  async *stream(messages: readonly ChatMessage[], { signal }: ModelOptions = {}): AsyncGenerator<StreamChunk, void> {
    const words = getTextContent(messages.at(-1)?.content ?? null).match(/\S+\s*|\s+/g) ?? [];
    try {
      for (const text of words) {
        signal?.throwIfAborted();
        yield { type: "text", text };
      }
      const usage = { promptTokens: words.length, completionTokens: words.length, totalTokens: 2 * words.length };
      yield { type: "finish", finishReason: "stop", usage };
    } catch (error) {
      throw toTroupeError(error, signal);
    }
  }
}
