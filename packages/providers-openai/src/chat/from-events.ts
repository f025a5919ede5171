import type { Source } from "@troupe/core";
import { readObject, readObjects, readText } from "@troupe/core/kit";
import { TruncatedResponseError } from "@troupe/core/provider";
import type { EventReader, ModelChunk } from "@troupe/core/provider";
import type { ModelCall } from "../model-call.ts";
import { toFinishDetails } from "../finish-details.ts";
import { toChatFinishReason, toChatUsage } from "./finish.ts";
import { ThinkingCollector } from "./replay.ts";
import { contentText, readChoice, usageIn } from "./read-choice.ts";
import { citedSources, listedSources } from "./sources.ts";
import { ChatToolCalls } from "./streamed-calls.ts";
import type { WireCompletion, WireMessage } from "./wire-types.ts";

/**
 * Converts the events of one streamed Chat Completions answer to chunks. Supports the variants of different servers.
 */
export class ChatEventReader implements EventReader<WireCompletion> {
  /**
   * Always false: an answer is never complete before its stream ends, because the usage may follow the finish reason.
   */
  readonly isComplete = false;
  readonly #call: ModelCall;
  readonly #calls = new ChatToolCalls();
  readonly #thinking = new ThinkingCollector();
  #reason: string | undefined;
  #usage: unknown;
  /** The last event that lists sources. */
  #listing: WireCompletion | undefined;
  #id: string | undefined;
  #model: string | undefined;

  constructor(call: ModelCall) {
    this.#call = call;
  }

  /** True once the answer has a finish reason: not every server sends an end event. */
  get isEnding(): boolean {
    return this.#reason !== undefined;
  }

  read(piece: WireCompletion, chunks: ModelChunk[]): void {
    const choice = readChoice(piece);
    this.#keepFacts(piece);
    const message = choice?.delta ?? choice?.message;
    if (message) this.#readMessage(readObject(message), chunks);
    this.#reason = readText(choice?.finish_reason) || this.#reason;
  }

  /**
   * Appends the last chunks of an answer. Throws `TruncatedResponseError` if the answer has no finish reason. An answer
   * with a finish reason is complete even without an end event, because not every server sends one.
   */
  end(chunks: ModelChunk[]): void {
    if (this.#reason === undefined) throw new TruncatedResponseError();
    this.#calls.end(chunks);
    if (this.#listing !== undefined) tellSources(listedSources(this.#listing), chunks);
    const finishReason = toChatFinishReason(this.#reason, this.#calls.count > 0);
    const usage = toChatUsage(this.#usage, this.#call.rules);
    const vendorState = this.#thinking.toVendorState(this.#call);
    const { skippedCount: skippedCalls } = this.#calls;
    const details = toFinishDetails({ id: this.#id, model: this.#model, vendorState, skippedCalls });
    chunks.push({ type: "finish", finishReason, ...(usage && { usage }), ...details });
  }

  // Only values that are not empty are kept: some servers send an empty model and id at first.
  #keepFacts(piece: WireCompletion): void {
    this.#id ??= readText(piece.id) || undefined;
    this.#model ??= readText(piece.model) || undefined;
    this.#usage = usageIn(piece) ?? this.#usage;
    if (piece.citations || piece.search_results) this.#listing = piece;
  }

  #readMessage(message: WireMessage, chunks: ModelChunk[]): void {
    const thinking = this.#thinking.add(message);
    if (thinking !== "") chunks.push({ type: "thinking", text: thinking });
    const text = contentText(message.content) + readText(message.refusal);
    if (text !== "") chunks.push({ type: "text", text });
    if (message.annotations || message.citations) tellSources(citedSources(message), chunks);
    if (message.tool_calls) for (const piece of readObjects(message.tool_calls)) this.#calls.add(piece, chunks);
  }
}

function tellSources(sources: readonly Source[], chunks: ModelChunk[]): void {
  for (const source of sources) chunks.push({ type: "source", ...source });
}
