import type { ChatMessage, ContentPart, MessageContent, ToolCall } from "@troupe/core";
import { isOwnData } from "./read-chat.ts";
import type { SentMessage, UiPart } from "./read-chat.ts";

/** Returns the user's message as the input of a run: its text and files, without the page's own data. */
export function toInput({ parts }: SentMessage): MessageContent {
  const content = parts.flatMap(toContentParts);
  return content.every(({ type }) => type === "text")
    ? content.map((part) => ("text" in part ? part.text : "")).join("\n")
    : content;
}

function toContentParts(part: UiPart): ContentPart[] {
  if (isOwnData(part)) return [];
  return [part.type === "text" ? { type: "text", text: textOf(part) } : toFilePart(part)];
}

function toFilePart(part: UiPart): ContentPart {
  const { mediaType, url, filename } = part as UiPart & { mediaType: string; url: string; filename?: string };
  const [kind] = mediaType.split("/", 1);
  if (kind === "image" || kind === "audio") return { type: kind, data: url, mimeType: mediaType };
  return { type: "file", data: url, mimeType: mediaType, ...(filename !== undefined && { filename }) };
}

/**
 * Returns a page's conversation as messages, for a session that has no turns in the service. Tool calls without a
 * result are omitted.
 */
export function toHistory(messages: readonly SentMessage[]): ChatMessage[] {
  return messages.flatMap((message) =>
    message.role === "user" ? [{ role: "user" as const, content: toInput(message) }] : toAnswer(message),
  );
}

/** Turns an answer into messages: one model message per step, followed by the results of its tool calls. */
function toAnswer({ parts }: SentMessage): ChatMessage[] {
  const steps: UiPart[][] = [[]];
  for (const part of parts) {
    if (part.type === "step-start") steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps.flatMap(toStep);
}

function toStep(parts: readonly UiPart[]): ChatMessage[] {
  const text = parts.map((part) => (part.type === "text" ? textOf(part) : "")).join("");
  const calls = parts.flatMap(toSettledCall);
  if (text === "" && calls.length === 0) return [];
  const toolCalls = calls.map(({ call }) => call);
  return [
    { role: "assistant", content: text === "" ? null : text, ...(toolCalls.length > 0 && { toolCalls }) },
    ...calls.map(({ call, result }) => ({
      role: "tool" as const,
      content: result,
      toolCallId: call.id,
      name: call.name,
    })),
  ];
}

/** Returns the tool name of a part, or undefined if the part is not a tool call. */
function toolNameOf({ type, toolName }: UiPart): string | undefined {
  if (type === "dynamic-tool") return typeof toolName === "string" ? toolName : undefined;
  return type.startsWith("tool-") ? type.slice("tool-".length) : undefined;
}

function toSettledCall(part: UiPart): { call: ToolCall; result: string }[] {
  const name = toolNameOf(part);
  const { toolCallId, input, state, output, errorText } = part;
  const isDone = state === "output-available" || state === "output-error";
  if (name === undefined || typeof toolCallId !== "string" || !isDone) return [];
  const said = state === "output-error" ? errorText : output;
  const result = typeof said === "string" ? said : JSON.stringify(said ?? null);
  return [{ call: { id: toolCallId, name, arguments: toArguments(input) }, result }];
}

function toArguments(input: unknown): Record<string, unknown> {
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  return isObject ? (input as Record<string, unknown>) : {};
}

function textOf({ text }: UiPart): string {
  return text as string;
}
