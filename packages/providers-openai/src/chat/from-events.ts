import { readObject, readObjects, readText } from "@troupe/core/adapter";
import type { ModelChunk, SseEvent } from "@troupe/core/adapter";
import type { ModelCall, EventReader } from "../model-call.ts";
import { toFinishDetails } from "../finish-details.ts";
import { TruncatedResponseError } from "../vendor-error.ts";
import { toChatFinishReason, toChatUsage } from "./finish.ts";
import { ThinkingCollector } from "./replay.ts";
import { contentText, readChoice, usageIn } from "./read-choice.ts";
import { ChatToolCalls } from "./streamed-calls.ts";
import type { WireCompletion, WireMessage } from "./wire-types.ts";

/** Converts the events of one streamed Chat Completions answer to chunks, as different servers send them. */
export class ChatEventReader implements EventReader {
  readonly #modelId: string;
  readonly #calls = new ChatToolCalls();
  readonly #thinking = new ThinkingCollector();
  #reason: string | undefined;
  #usage: unknown;
  #id: string | undefined;
  #model: string | undefined;
  #isComplete = false;

  constructor({ modelId }: ModelCall) {
    this.#modelId = modelId;
  }

  read({ data }: SseEvent, chunks: ModelChunk[]): boolean {
    if (data === "[DONE]") {
      this.end(chunks);
      return true;
    }
    const piece: WireCompletion = readObject(JSON.parse(data));
    const choice = readChoice(piece);
    this.#keepFacts(piece);
    const message = choice?.delta ?? choice?.message;
    if (message) this.#readMessage(readObject(message), chunks);
    this.#reason = readText(choice?.finish_reason) || this.#reason;
    return false;
  }

  /** A finish reason makes an answer complete: not every server sends an end event. */
  end(chunks: ModelChunk[]): void {
    if (this.#isComplete) return;
    if (this.#reason === undefined) throw new TruncatedResponseError();
    this.#isComplete = true;
    this.#calls.end(chunks);
    const finishReason = toChatFinishReason(this.#reason, this.#calls.count > 0);
    const usage = toChatUsage(this.#usage);
    const vendorState = this.#thinking.toVendorState(this.#modelId);
    const details = toFinishDetails({ id: this.#id, model: this.#model, vendorState });
    chunks.push({ type: "finish", finishReason, ...(usage && { usage }), ...details });
  }

  // Some servers send the model and id empty at first.
  #keepFacts(piece: WireCompletion): void {
    this.#id ??= readText(piece.id) || undefined;
    this.#model ??= readText(piece.model) || undefined;
    this.#usage = usageIn(piece) ?? this.#usage;
  }

  #readMessage(message: WireMessage, chunks: ModelChunk[]): void {
    const thinking = this.#thinking.add(message);
    if (thinking !== "") chunks.push({ type: "thinking", text: thinking });
    const text = contentText(message.content) + readText(message.refusal);
    if (text !== "") chunks.push({ type: "text", text });
    if (message.tool_calls) for (const piece of readObjects(message.tool_calls)) this.#calls.add(piece, chunks);
  }
}
