import { parseArguments, readText } from "@troupe/core/kit";
import { stringifyArguments } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";

/**
 * Returns the arguments of a tool call as JSON text. Most servers send a string, some an object. Missing arguments
 * become an empty string.
 */
export function argumentsText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : stringifyArguments(value);
}

/** Returns the id of a tool call as a string, because some servers number their calls. Empty if it has no id. */
export function callId(value: unknown): string {
  return typeof value === "number" ? String(value) : readText(value);
}

/** A tool call as the vendor sent it. `text`: its arguments as unparsed JSON text. */
export type UnparsedCall = { id: string; name: string; text: string };

/**
 * Parses the arguments of tool calls. A call with invalid JSON gets no arguments and is listed in `malformedArguments`,
 * so that it is not executed.
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
