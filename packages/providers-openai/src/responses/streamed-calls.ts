import { createId } from "@troupe/core/adapter";
import type { ModelChunk } from "@troupe/core/adapter";
import type { OutputItem } from "./wire-types.ts";

type OpenCall = { id: string; toldLength: number; isEnded: boolean };

/**
 * Assembles the tool calls of one streamed answer and appends their chunks. Calls are kept by index: some servers
 * change the ids of items between events.
 */
export class ResponsesToolCalls {
  readonly #calls = new Map<number, OpenCall>();

  /** The number of calls. */
  get count(): number {
    return this.#calls.size;
  }

  start(index: number, { call_id: given, name = "", arguments: text = "" }: OutputItem, chunks: ModelChunk[]): void {
    const id = toCallId(given);
    this.#calls.set(index, { id, toldLength: 0, isEnded: false });
    chunks.push({ type: "tool_call_start", toolCall: { id, name } });
    this.extend(index, text, chunks);
  }

  extend(index: number, text: string, chunks: ModelChunk[]): void {
    const call = this.#calls.get(index);
    if (call === undefined || text === "") return;
    call.toldLength += text.length;
    chunks.push({ type: "tool_call_delta", toolCallId: call.id, argumentsDelta: text });
  }

  /** Adds the arguments of the finished item that no delta had. */
  end(index: number, item: OutputItem, chunks: ModelChunk[]): void {
    if (!this.#calls.has(index)) this.start(index, { ...item, arguments: "" }, chunks);
    const call = this.#calls.get(index);
    if (call === undefined || call.isEnded) return;
    this.extend(index, (item.arguments ?? "").slice(call.toldLength), chunks);
    this.#close(call, chunks);
  }

  endAll(chunks: ModelChunk[]): void {
    for (const call of this.#calls.values()) this.#close(call, chunks);
  }

  #close(call: OpenCall, chunks: ModelChunk[]): void {
    if (!call.isEnded) chunks.push({ type: "tool_call_end", toolCallId: call.id });
    call.isEnded = true;
  }
}

/**
 * Returns the id to which the result of a tool call refers: the given `call_id`, which is not the item's `id`, or a new
 * one when it is missing.
 */
export function toCallId(given: string | undefined): string {
  return given === undefined || given === "" ? `call_${createId()}` : given;
}
