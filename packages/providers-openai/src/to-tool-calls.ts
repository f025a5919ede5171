import { parseArguments } from "@troupe/core/adapter";
import type { ModelResponse } from "@troupe/core/adapter";

/** A tool call as the vendor sent it. `text`: its arguments as JSON text, not parsed. */
export type UnparsedCall = { id: string; name: string; text: string };

/**
 * Parses the arguments of tool calls. A call with invalid JSON gets no arguments, and `malformedArguments` lists it, so
 * that it is not executed.
 */
export function toToolCalls(calls: readonly UnparsedCall[]): Pick<ModelResponse, "toolCalls" | "malformedArguments"> {
  const malformedArguments: { toolCallId: string; text: string }[] = [];
  const toolCalls = calls.map(({ id, name, text }) => {
    const parsed = parseArguments(text);
    if (!parsed.ok) malformedArguments.push({ toolCallId: id, text });
    return { id, name, arguments: parsed.ok ? parsed.value : {} };
  });
  return malformedArguments.length > 0 ? { toolCalls, malformedArguments } : { toolCalls };
}
