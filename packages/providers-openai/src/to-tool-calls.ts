import { parseArguments, readText } from "@troupe/core/kit";
import { writeArguments } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";

/**
 * Returns the arguments of a tool call as JSON text. Most servers send a string, some an object or nothing, which
 * becomes an empty string.
 */
export function argumentsText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : writeArguments(value);
}

/** Returns the id of a tool call, empty when it has none. Some servers number their calls. */
export function callId(value: unknown): string {
  return typeof value === "number" ? String(value) : readText(value);
}

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
