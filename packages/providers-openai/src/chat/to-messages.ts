import type { ChatMessage, MessageRole } from "@troupe/core";
import type { ModelCall } from "../model-call.ts";
import { splitLeadingSystem } from "../leading-system.ts";
import { plainText } from "../plain-text.ts";
import { readPart } from "../read-part.ts";
import type { ReadPart } from "../read-part.ts";
import { replayedThinking } from "./replay.ts";

/**
 * Converts the messages of a model call to those of Chat Completions. The first system messages and `instruction`
 * become one, since many servers take only one.
 */
export function toMessages(call: ModelCall, instruction = ""): object[] {
  const { system, rest } = splitLeadingSystem(call);
  const first = [system, instruction].filter((text) => text !== "").join("\n\n");
  const others = rest.flatMap((message) => toMessage[message.role](message, call));
  return first === "" ? others : [{ role: "system", content: first }, ...others];
}

const toMessage: Readonly<Record<MessageRole, (message: ChatMessage, call: ModelCall) => object[]>> = {
  system: (message, call) => [{ role: "system", content: plainText(message, call) }],
  user: (message, call) => [{ role: "user", content: toContent(message, call), ...toName(message, call) }],
  assistant: toAssistantMessage,
  tool: (message, call) => [
    { role: "tool", tool_call_id: message.toolCallId ?? "", content: plainText(message, call) },
  ],
};

function toAssistantMessage(message: ChatMessage, call: ModelCall): object[] {
  const text = call.parts.readText(message);
  const calls = (message.toolCalls ?? []).map(({ id, name, arguments: args }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  // No server takes an empty message.
  if (text === "" && calls.length === 0) return [];
  const content = text === "" ? null : text;
  const toolCalls = calls.length > 0 && { tool_calls: calls };
  return [
    { role: "assistant", content, ...toolCalls, ...replayedThinking(message, call.modelId), ...toName(message, call) },
  ];
}

function toName({ name }: ChatMessage, { rules, reportOmitted }: ModelCall): object {
  if (name === undefined) return {};
  if (rules.names && /^[\w-]{1,64}$/.test(name)) return { name };
  reportOmitted("name", "the server takes no such name on messages");
  return {};
}

function toContent(message: ChatMessage, call: ModelCall): string | object[] {
  if (!Array.isArray(message.content)) return message.content ?? "";
  const parts = call.parts
    .read(message, (part) => readPart(part, call))
    .filter((part) => part.kind !== "text" || part.text !== "")
    .map(toMessagePart);
  return parts.length === 0 ? "" : parts;
}

function toMessagePart(part: ReadPart): object {
  if (part.kind === "text") return { type: "text", text: part.text };
  if (part.kind === "image") return { type: "image_url", image_url: { url: part.url } };
  if (part.kind === "audio") return { type: "input_audio", input_audio: { data: part.base64, format: part.format } };
  return { type: "file", file: { filename: part.filename, file_data: part.url } };
}
