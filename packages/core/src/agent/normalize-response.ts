import { TroupeError } from "../errors/troupe-error.ts";
import { CallIds } from "../history/call-ids.ts";
import type { ChatMessage } from "../message/message.ts";
import { normalizeUsage } from "../message/token-usage.ts";
import type { ToolCall } from "../message/tool-call.ts";
import type { ModelChunk } from "../model/model-chunk.ts";
import type { ModelResponse } from "../model/model-response.ts";
import { exceedsLimits } from "../schema/json-limits.ts";
import { createId } from "../util/create-id.ts";
import { isRecord } from "../util/is-record.ts";

/** The depth to which arguments may nest. A stored turn adds a few levels, and has a limit of its own. */
const maxArgumentsDepth = 48;

/**
 * Returns a model's response in its normal form, because a provider of a third party may report no tokens or give two
 * calls one id. Arguments that no turn could store count as malformed, so that their call is not executed. A response
 * without a finish reason is `model_failed`.
 */
export function normalizeResponse(response: ModelResponse): ModelResponse {
  if (typeof response?.finishReason !== "string") {
    throw new TroupeError("model_failed", "The model's answer ended before it was complete.");
  }
  const { text, toolCalls, malformedArguments } = response;
  const sound = {
    ...response,
    text: typeof text === "string" ? text : "",
    usage: normalizeUsage(response.usage),
  };
  return (toolCalls ?? []).length === 0
    ? { ...sound, toolCalls: [] }
    : { ...sound, ...soundCalls(toolCalls, malformedArguments) };
}

type Calls = Pick<ModelResponse, "toolCalls"> & Required<Pick<ModelResponse, "malformedArguments">>;

/** Keeps the first call with each id. A call without an id gets one. */
function soundCalls(calls: readonly ToolCall[], malformed: ModelResponse["malformedArguments"] = []): Calls {
  const known = new Set<string>();
  const sound: Calls = { toolCalls: [], malformedArguments: [...malformed] };
  for (const call of calls) {
    const id = call.id || createId();
    if (known.has(id)) continue;
    known.add(id);
    const isSound = isRecord(call.arguments) && !exceedsLimits(call.arguments, maxArgumentsDepth);
    if (!isSound) sound.malformedArguments.push({ toolCallId: id, text: "" });
    sound.toolCalls.push({ id, name: call.name, arguments: isSound ? call.arguments : {} });
  }
  return sound;
}

/**
 * Collects the tool call ids that a conversation has used, so that `UniqueCallIds` gives other ids to the calls of
 * later answers.
 */
export function callIdsOf(messages: readonly ChatMessage[]): CallIds {
  const ids = new CallIds();
  for (const { toolCalls = [] } of messages) for (const { id } of toolCalls) ids.take(id);
  return ids;
}

/**
 * Replaces tool call ids of one answer that the conversation has used before: there are models that number the calls of
 * each answer from 1, and vendors that refuse a history in which an id occurs twice.
 */
export class UniqueCallIds {
  readonly #taken: CallIds;
  // Made with the first call: most answers have none.
  #own: Map<string, string> | undefined;

  constructor(taken: CallIds) {
    this.#taken = taken;
  }

  /** Returns the response with unique ids. */
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

  /** Returns the chunk with the unique id of its call. */
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

  /** Within the answer, a second call with an id stays the same call. */
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
