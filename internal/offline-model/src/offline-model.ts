import { getTextContent, isMultiModal } from "@troupe/core";
import type { ChatMessage, FinishReason, ModelOptions, ModelProvider, TokenUsage } from "@troupe/core";
import { createId, sleep, toTroupeError } from "@troupe/core/kit";
import { collectResponse } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { composeReply } from "./compose-reply.ts";
import type { Reply } from "./compose-reply.ts";
import type { PlannedCall } from "./plan-calls.ts";

/**
 * A model without a network or a key. It searches the request for a few patterns, calls matching tools, and answers
 * with their results, or says that it does not know. It never pretends to understand.
 */
export class OfflineModel implements ModelProvider {
  readonly providerId = "offline";
  readonly modelId = "patterns";
  readonly #wordMs: number;

  /** @param wordMs milliseconds before each word of the stream */
  constructor({ wordMs = 40 }: { wordMs?: number } = {}) {
    this.#wordMs = wordMs;
  }

  /** Answers without streaming. Takes as long as streaming would, as a vendor does. */
  async generate(messages: readonly ChatMessage[], options?: ModelOptions): Promise<ModelResponse> {
    return await collectResponse(this.stream(messages, options));
  }

  async *stream(messages: readonly ChatMessage[], options: ModelOptions = {}): AsyncGenerator<ModelChunk, void> {
    const { signal } = options;
    try {
      const { reply, finishReason } = cutReply(composeReply(messages, options), options);
      for (const chunk of toChunks(reply)) {
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

/**
 * Ends the text of a reply before a stop sequence, and after `maxTokens` words, numbers and punctuation marks. Does not
 * cut tool calls.
 */
function cutReply(
  reply: Reply,
  { maxTokens = Infinity, stop = [] }: ModelOptions,
): { reply: Reply; finishReason: FinishReason } {
  if (reply.calls.length > 0) return { reply, finishReason: "tool_calls" };
  const ends = stop.map((sequence) => reply.text.indexOf(sequence)).filter((index) => index >= 0);
  const stopped = reply.text.slice(0, Math.min(...ends, reply.text.length));
  const text = firstTokens(stopped, maxTokens);
  return { reply: { text, calls: [] }, finishReason: text === stopped ? "stop" : "length" };
}

function* toChunks({ text, calls }: Reply): Generator<ModelChunk> {
  for (const word of text.match(/\s*\S+|\s+$/g) ?? []) yield { type: "text", text: word };
  for (const call of calls) yield* callChunks(call);
}

function* callChunks({ name, arguments: args }: PlannedCall): Generator<ModelChunk> {
  const id = `call_${createId()}`;
  yield { type: "tool_call_start", toolCall: { id, name } };
  yield { type: "tool_call_delta", toolCallId: id, argumentsDelta: JSON.stringify(args) };
  yield { type: "tool_call_end", toolCallId: id };
}

/** Counts the tokens of a model call. An attachment counts as one token, because the model does not read it. */
function countUsage(
  messages: readonly ChatMessage[],
  { tools = [] }: ModelOptions,
  { text, calls }: Reply,
): TokenUsage {
  const promptTokens = messages.reduce((sum, message) => sum + countMessage(message), 0) + countJson(tools);
  const completionTokens = countTokens(text) + countJson(calls);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

function countMessage({ content, toolCalls = [] }: ChatMessage): number {
  const attachments = isMultiModal(content) ? content.filter(({ type }) => type !== "text").length : 0;
  return countTokens(getTextContent(content)) + attachments + countJson(toolCalls);
}

function countJson(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + countTokens(JSON.stringify(value)), 0);
}

/** Matches a token of the offline model: a word, a number or a punctuation mark. */
const token = /[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu;

function countTokens(text: string): number {
  return text.match(token)?.length ?? 0;
}

function firstTokens(text: string, count: number): string {
  let left = count;
  for (const { index } of text.matchAll(token)) {
    if (left === 0) return text.slice(0, index).trimEnd();
    left -= 1;
  }
  return text;
}
