import { TroupeError } from "../errors/troupe-error.ts";
import { soundUsage } from "../message/token-usage.ts";
import type { ToolCall } from "../message/tool-call.ts";
import type { ModelResponse } from "../model/model-response.ts";
import { nestsDeeper } from "../schema/json-limits.ts";
import { createId } from "../util/create-id.ts";

/** How deep arguments may nest: a stored turn puts a few levels above them, and has a limit of its own. */
const maxArgumentsDepth = 48;

/**
 * Takes a model's response as it should be: providers are written by anybody, and one that reports no number of tokens or
 * gives two calls one id must not break the run, its account or its history. Arguments that no turn could hold count as
 * malformed, so that their call is not executed.
 */
export function readResponse(response: ModelResponse): ModelResponse {
  if (typeof response?.finishReason !== "string") {
    throw new TroupeError("model_failed", "The model's answer ended before it was complete.");
  }
  const { text, toolCalls, malformedArguments } = response;
  const sound = {
    ...response,
    text: typeof text === "string" ? text : "",
    usage: soundUsage(response.usage),
  };
  return (toolCalls ?? []).length === 0
    ? { ...sound, toolCalls: [] }
    : { ...sound, ...soundCalls(toolCalls, malformedArguments) };
}

type Calls = Pick<ModelResponse, "toolCalls"> & Required<Pick<ModelResponse, "malformedArguments">>;

/** Each id is one call: the first that has it. A call without an id gets one. */
function soundCalls(calls: readonly ToolCall[], malformed: ModelResponse["malformedArguments"] = []): Calls {
  const known = new Set<string>();
  const sound: Calls = { toolCalls: [], malformedArguments: [...malformed] };
  for (const call of calls) {
    const id = call.id || createId();
    if (known.has(id)) continue;
    known.add(id);
    const isSound = isPlainObject(call.arguments) && !nestsDeeper(call.arguments, maxArgumentsDepth);
    if (!isSound) sound.malformedArguments.push({ toolCallId: id, text: "" });
    sound.toolCalls.push({ id, name: call.name, arguments: isSound ? call.arguments : {} });
  }
  return sound;
}

function isPlainObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
