import { TroupeError } from "../base/errors/troupe-error.ts";
import { SourceList } from "../base/message/source.ts";
import type { SourceChunk } from "../base/message/source.ts";
import { noUsage } from "../base/message/token-usage.ts";
import type { ToolCall } from "../base/message/tool-call.ts";
import { parseArguments } from "../schema/parse-model-json.ts";
import { answerTooLong, lengthOf, maxAnswerLength } from "./answer-length.ts";
import type { ModelResponse } from "./model-response.ts";
import type { ModelChunk, ModelFinish } from "./model-chunk.ts";

type OpenCall = { name: string; argumentsText: string[]; ended: boolean };

/**
 * Collects the chunks of one model stream into a response. Each id is one tool call. A second call with a known id, and
 * arguments for an unknown or finished call, are ignored as mistakes of the vendor.
 */
export class ResponseCollector {
  #length = 0;
  #text = "";
  #thinking = "";
  // Created with the first tool call, because most answers have no tool calls.
  #calls: Map<string, OpenCall> | undefined;
  #sources: SourceList | undefined;
  #finish: ModelFinish | undefined;

  /**
   * Adds a chunk. Throws `model_failed` once the answer exceeds the maximum length, so that the reader of the stream
   * leaves it.
   */
  add(chunk: ModelChunk): void {
    this.#count(chunk);
    switch (chunk.type) {
      case "text":
        this.#text += chunk.text;
        break;
      case "thinking":
        this.#thinking += chunk.text;
        break;
      case "source":
        this.#addSource(chunk);
        break;
      case "tool_call_start":
        this.#start(chunk.toolCall);
        break;
      case "tool_call_delta":
        this.#extend(chunk.toolCallId, chunk.argumentsDelta);
        break;
      case "tool_call_end":
        this.#end(chunk.toolCallId);
        break;
      case "tool_progress":
      case "tool_result":
        // Chunks of tool progress and tool results occur only in runs, and are ignored here.
        break;
      case "finish":
        this.#finish = chunk;
        break;
    }
  }

  /** Returns the whole response. Throws `model_failed` without a `finish` chunk: the answer is then truncated. */
  finish(): ModelResponse {
    if (this.#finish === undefined)
      throw new TroupeError("model_failed", "The model's answer ended before it was complete.");
    const { finishReason, usage = noUsage, responseId, model, vendorState, answeredBy, skippedCalls } = this.#finish;
    return {
      text: this.#text,
      ...this.#toolCalls(),
      ...(this.#thinking !== "" && { thinking: this.#thinking }),
      ...(this.#sources !== undefined && { sources: [...this.#sources.all] }),
      usage,
      finishReason,
      ...(responseId !== undefined && { responseId }),
      ...(model !== undefined && { model }),
      ...(vendorState !== undefined && { vendorState }),
      ...(answeredBy !== undefined && { answeredBy }),
      ...(skippedCalls !== undefined && { skippedCalls }),
    };
  }

  #count(chunk: ModelChunk): void {
    this.#length += lengthOf(chunk);
    if (this.#length > maxAnswerLength) throw answerTooLong();
  }

  #addSource(chunk: SourceChunk): void {
    this.#sources ??= new SourceList();
    this.#sources.add(chunk);
  }

  #start({ id, name }: { id: string; name: string }): void {
    this.#calls ??= new Map();
    if (!this.#calls.has(id)) this.#calls.set(id, { name, argumentsText: [], ended: false });
  }

  #extend(id: string, text: string): void {
    const call = this.#calls?.get(id);
    if (call?.ended === false) call.argumentsText.push(text);
  }

  #end(id: string): void {
    const call = this.#calls?.get(id);
    if (call !== undefined) call.ended = true;
  }

  #toolCalls(): Pick<ModelResponse, "toolCalls" | "malformedArguments"> {
    const toolCalls: ToolCall[] = [];
    const malformedArguments: { toolCallId: string; text: string }[] = [];
    for (const [id, { name, argumentsText }] of this.#calls ?? []) {
      const text = argumentsText.join("");
      const parsed = parseArguments(text);
      toolCalls.push({ id, name, arguments: parsed.ok ? parsed.value : {} });
      if (!parsed.ok) malformedArguments.push({ toolCallId: id, text });
    }
    return malformedArguments.length > 0 ? { toolCalls, malformedArguments } : { toolCalls };
  }
}

/**
 * Reads a model's stream to its end and returns the whole response. Throws `model_failed` for a stream without a
 * `finish` chunk, and for an answer that exceeds the maximum length.
 */
export async function collectResponse(chunks: AsyncIterable<ModelChunk>): Promise<ModelResponse> {
  const collector = new ResponseCollector();
  for await (const chunk of chunks) collector.add(chunk);
  return collector.finish();
}
