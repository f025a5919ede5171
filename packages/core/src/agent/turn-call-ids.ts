import type { ChatMessage } from "../message/message.ts";
import type { ModelResponse } from "../model/model-response.ts";
import type { ModelChunk } from "../model/model-chunk.ts";
import { CallIds } from "../history/call-ids.ts";

/** The ids that the calls of a conversation have. */
export function callIdsOf(messages: readonly ChatMessage[]): CallIds {
  const ids = new CallIds();
  for (const { toolCalls = [] } of messages) for (const { id } of toolCalls) ids.take(id);
  return ids;
}

/**
 * Gives the calls of one model turn ids that no earlier call of the conversation has: there are models that number the
 * calls of each turn from 1, and vendors that refuse a history in which an id comes twice.
 */
export class TurnCallIds {
  readonly #taken: CallIds;
  // Made with the first call: most turns have none.
  #own: Map<string, string> | undefined;

  constructor(taken: CallIds) {
    this.#taken = taken;
  }

  /** The response with ids of its own. */
  inResponse(response: ModelResponse): ModelResponse {
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

  /** The chunk with the id that its call has here. */
  inChunk(chunk: ModelChunk): ModelChunk {
    switch (chunk.type) {
      case "tool_call_start":
        return { ...chunk, toolCall: { ...chunk.toolCall, id: this.#start(chunk.toolCall.id) } };
      case "tool_call_delta":
      case "tool_call_end":
        return { ...chunk, toolCallId: this.#of(chunk.toolCallId) };
      default:
        return chunk;
    }
  }

  /** Within the turn, a second call under an id stays the same call. */
  #start(id: string): string {
    const ids = (this.#own ??= new Map<string, string>());
    const own = ids.get(id) ?? this.#taken.take(id);
    ids.set(id, own);
    return own;
  }

  #of(id: string): string {
    return this.#own?.get(id) ?? id;
  }
}
