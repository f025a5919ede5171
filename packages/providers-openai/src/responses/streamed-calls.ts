import { createId } from "@troupe/core/kit";
import type { ModelChunk } from "@troupe/core/provider";
import { argumentsText } from "../to-tool-calls.ts";
import type { OutputItem } from "./wire-types.ts";

/** The key of an item in the events of one answer: its index, or its id. */
export type ItemKey = number | string;

/** A call of one of our tools, with a name. */
type NamedCall = OutputItem & { name: string };

type OpenCall = { id: string; toldLength: number; isEnded: boolean };

/**
 * Assembles the tool calls of one streamed answer and appends their chunks. Calls are stored by index, because some
 * servers change the ids of items between events.
 */
export class ResponsesToolCalls {
  readonly #calls = new Map<ItemKey, OpenCall>();

  /** The number of tool calls found so far. */
  get count(): number {
    return this.#calls.size;
  }

  start(key: ItemKey, { call_id: given, name, arguments: args }: NamedCall, chunks: ModelChunk[]): void {
    if (this.#calls.has(key)) return;
    const id = toCallId(given);
    this.#calls.set(key, { id, toldLength: 0, isEnded: false });
    chunks.push({ type: "tool_call_start", toolCall: { id, name } });
    this.extend(key, argumentsText(args), chunks);
  }

  extend(key: ItemKey, text: string, chunks: ModelChunk[]): void {
    const call = this.#calls.get(key);
    if (call === undefined || call.isEnded || text === "") return;
    call.toldLength += text.length;
    chunks.push({ type: "tool_call_delta", toolCallId: call.id, argumentsDelta: text });
  }

  /** Ends a tool call. Appends those arguments of the finished item that no delta contained. */
  end(key: ItemKey, item: NamedCall, chunks: ModelChunk[]): void {
    this.start(key, { ...item, arguments: "" }, chunks);
    const call = this.#calls.get(key);
    if (call === undefined || call.isEnded) return;
    this.extend(key, argumentsText(item.arguments).slice(call.toldLength), chunks);
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
 * Returns the id to which the result of a tool call refers: the given `call_id`, which is not the item's `id`. Returns
 * a new id if it is missing.
 */
export function toCallId(given: unknown): string {
  return typeof given === "string" && given !== "" ? given : `call_${createId()}`;
}

/**
 * Returns true if an item is a call of one of our tools and has a name. A call without a name can neither be executed
 * nor sent back.
 */
export function isNamedCall(item: OutputItem): item is NamedCall {
  return item.type === "function_call" && typeof item.name === "string" && item.name !== "";
}

/** Returns the number of calls of our tools without a name. */
export function countNameless(items: readonly OutputItem[]): number {
  return items.filter((item) => item.type === "function_call" && !isNamedCall(item)).length;
}
