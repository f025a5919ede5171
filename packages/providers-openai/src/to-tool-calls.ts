import { parseArguments } from "@troupe/core/adapter";
import type { ModelResponse } from "@troupe/core/adapter";

/** A call as its vendor wrote it. */
export type WrittenCall = { id: string; name: string; text: string };

/** Reads the arguments of calls. Those that cannot be read are told apart, so that nobody executes a guess. */
export function toToolCalls(calls: readonly WrittenCall[]): Pick<ModelResponse, "toolCalls" | "malformedArguments"> {
  const malformedArguments: { toolCallId: string; text: string }[] = [];
  const toolCalls = calls.map(({ id, name, text }) => {
    const parsed = parseArguments(text);
    if (!parsed.ok) malformedArguments.push({ toolCallId: id, text });
    return { id, name, arguments: parsed.ok ? parsed.value : {} };
  });
  return malformedArguments.length > 0 ? { toolCalls, malformedArguments } : { toolCalls };
}
