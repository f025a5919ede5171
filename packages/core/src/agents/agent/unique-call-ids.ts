import { CallIds } from "../../sessions/history/call-ids.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { ModelChunk } from "../../model/model-chunk.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { isSoundCallId, readCallId, soundToolName } from "./normalize-response.ts";
import type { NormalResponse } from "./normalize-response.ts";

/** Collects the tool call ids that a conversation has used, so that `UniqueCallIds` gives other ids to later calls. */
export function callIdsOf(messages: readonly ChatMessage[]): CallIds {
  const ids = new CallIds();
  for (const { toolCalls = [] } of messages) for (const { id } of toolCalls) ids.take(id);
  return ids;
}

type TextChunk = Extract<ModelChunk, { type: "text" | "thinking" }>;
type DeltaChunk = Extract<ModelChunk, { type: "tool_call_delta" }>;

/**
 * Replaces tool call ids that the conversation has used before, or that cannot be stored. Some models number the calls
 * of each answer from 1, and some vendors reject a history with duplicate ids. Also joins surrogate pairs that a stream
 * split between two chunks.
 */
export class UniqueCallIds {
  readonly #taken: CallIds;
  // Created with the first tool call, because most answers have no tool calls.
  #own: Map<string, string> | undefined;
  /**
   * For each text in progress (the answer, the thinking, or the arguments of a call): the half of a surrogate pair with
   * which the last chunk of the text ended. Created on first use.
   */
  #halves: Map<string, string> | undefined;

  constructor(taken: CallIds) {
    this.#taken = taken;
  }

  /** Returns a model's response with unique tool call ids. */
  inResponse(response: NormalResponse): NormalResponse {
    const { toolCalls, malformedArguments } = response;
    if (toolCalls.length === 0) return response;
    return {
      ...response,
      toolCalls: toolCalls.map((call) => ({ ...call, id: this.#start(call.id) })),
      ...(malformedArguments !== undefined && {
        malformedArguments: malformedArguments.map((call) => ({ ...call, toolCallId: this.#of(call.toolCallId) })),
      }),
    };
  }

  /** Returns a model's chunk with the unique id of its tool call, or with its text in whole characters. */
  inChunk(chunk: ModelChunk): ModelChunk {
    switch (chunk.type) {
      case "text":
      case "thinking":
        return this.#halves === undefined && isWhole(chunk.text) ? chunk : this.#mendText(chunk);
      case "tool_call_start":
        return { type: chunk.type, toolCall: this.#startOf(chunk.toolCall) };
      case "tool_call_delta":
        return this.#mendDelta({ ...chunk, toolCallId: this.#of(chunk.toolCallId) });
      case "tool_call_end":
        return { ...chunk, toolCallId: this.#of(chunk.toolCallId) };
      default:
        return chunk;
    }
  }

  /**
   * Returns the remaining chunks after the stream has ended: one for each text that ends with half a surrogate pair.
   */
  rest(): ModelChunk[] {
    const types = ["text", "thinking"] as const;
    return types.filter((type) => this.#halves?.has(type)).map((type) => ({ type, text: "\ufffd" }));
  }

  #startOf(call: unknown): { id: string; name: string } {
    const { id, name } = isRecord(call) ? call : {};
    return { id: this.#start(id), name: soundToolName(name) };
  }

  /** Returns the unique id of a tool call that starts. A repeated id within one answer is the same call. */
  #start(given: unknown): string {
    const id = readCallId(given);
    const ids = (this.#own ??= new Map<string, string>());
    const known = id === "" ? undefined : ids.get(id);
    const own = known ?? this.#taken.take(isSoundCallId(id) ? id : "");
    ids.set(id, own);
    return own;
  }

  #of(given: unknown): string {
    const id = readCallId(given);
    return this.#own?.get(id) ?? id;
  }

  #mendText(chunk: TextChunk): TextChunk {
    const text: unknown = chunk.text;
    return { type: chunk.type, text: typeof text === "string" ? this.#join(chunk.type, text).toWellFormed() : "" };
  }

  /**
   * Half a surrogate pair in arguments is not repaired: the call is refused instead of being executed with another
   * character.
   */
  #mendDelta(chunk: DeltaChunk): DeltaChunk {
    const text: unknown = chunk.argumentsDelta;
    if (typeof text !== "string") return { ...chunk, argumentsDelta: text === undefined ? "" : "null" };
    if (this.#halves === undefined && isWhole(text)) return chunk;
    return { ...chunk, argumentsDelta: this.#join(`call ${chunk.toolCallId}`, text) };
  }

  /**
   * Returns a piece of text, preceded by the half surrogate pair left from the previous piece. Holds back a half at its
   * own end.
   */
  #join(key: string, piece: string): string {
    const halves = (this.#halves ??= new Map<string, string>());
    const text = `${halves.get(key) ?? ""}${piece}`;
    const last = text.charCodeAt(text.length - 1);
    const isSplit = last >= 0xd800 && last <= 0xdbff;
    if (isSplit) halves.set(key, text.slice(-1));
    else halves.delete(key);
    return isSplit ? text.slice(0, -1) : text;
  }
}

function isWhole(text: unknown): boolean {
  return typeof text === "string" && text.isWellFormed();
}
