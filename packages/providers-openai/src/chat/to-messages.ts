import type { ChatMessage, ContentPart, MessageRole } from "@troupe/core";
import type { ModelCall } from "../model-call.ts";
import { splitLeadingSystem } from "../leading-system.ts";
import { plainName, plainText } from "../plain-text.ts";
import { readPart } from "../read-part.ts";
import { toShortId } from "./short-call-id.ts";
import type { ReadPart } from "../read-part.ts";
import { replayedThinking } from "./replay.ts";

/**
 * Converts the messages of a model call to messages of Chat Completions. The leading system messages and `instruction`
 * become one message, because many servers accept only one.
 */
export function toMessages(call: ModelCall, instruction = ""): object[] {
  const { system, rest } = splitLeadingSystem(call);
  const first = [system, instruction].filter((text) => text !== "").join("\n\n");
  const others = toOthers(rest, call);
  return first === "" ? others : [{ role: "system", content: first }, ...others];
}

/**
 * Converts all messages but the leading system messages. Files of tools follow the results of all calls of an answer.
 */
function toOthers(messages: readonly ChatMessage[], call: ModelCall): object[] {
  const others: object[] = [];
  let files: object[] = [];
  const addFiles = (): void => {
    if (files.length > 0) others.push({ role: "user", content: files });
    files = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      const result = toResult(message, call);
      others.push(result.message);
      files.push(...result.files);
    } else {
      addFiles();
      others.push(...toMessage[message.role](message, call));
    }
  }
  addFiles();
  return others;
}

/**
 * Converts the result of a tool. Chat Completions accepts only text in it, so images and files go into a user message.
 */
function toResult(message: ChatMessage, call: ModelCall): { message: object; files: object[] } {
  const { toolCallId = "" } = message;
  const sentId = call.rules.shortCallIds ? toShortId(toolCallId) : toolCallId;
  const files: object[] = [];
  const texts = call.parts.read(message, (part) => {
    const read = readPart(part, call);
    if (read.kind === "text") return read.text;
    files.push(toMessagePart(read));
    return describeMoved(part);
  });
  const title = { type: "text", text: `From the result of the tool call ${sentId}:` };
  return {
    message: { role: "tool", tool_call_id: sentId, content: texts.join("\n") },
    files: files.length > 0 ? [title, ...files] : [],
  };
}

function describeMoved(part: ContentPart): string {
  const { filename, mimeType } = part as { filename?: string; mimeType?: string };
  const name = filename ? `${part.type} ${filename}` : part.type;
  return `[${mimeType === undefined ? name : `${name}, ${mimeType}`}: in the next message]`;
}

const toMessage: Readonly<Record<Exclude<MessageRole, "tool">, (message: ChatMessage, call: ModelCall) => object[]>> = {
  system: (message, call) => [{ role: "system", content: plainText(message, call) }],
  user: (message, call) => [{ role: "user", content: toContent(message, call), ...toName(message, call) }],
  assistant: toAssistantMessage,
};

function toAssistantMessage(message: ChatMessage, call: ModelCall): object[] {
  const text = call.parts.readText(message);
  const calls = (message.toolCalls ?? []).map(({ id, name, arguments: args }) => ({
    id: call.rules.shortCallIds ? toShortId(id) : id,
    type: "function",
    function: { name: plainName(name), arguments: JSON.stringify(args) },
  }));
  // Servers refuse an empty assistant message.
  if (text === "" && calls.length === 0) return [];
  const content = text === "" ? null : text;
  const toolCalls = calls.length > 0 && { tool_calls: calls };
  return [{ role: "assistant", content, ...toolCalls, ...replayedThinking(message, call), ...toName(message, call) }];
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
