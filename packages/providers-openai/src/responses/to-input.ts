import type { ChatMessage, MessageRole } from "@troupe/core";
import type { ModelCall } from "../model-call.ts";
import { splitLeadingSystem } from "../leading-system.ts";
import { plainName, plainText } from "../plain-text.ts";
import { readPart } from "../read-part.ts";
import type { ReadPart } from "../read-part.ts";
import { replayedItems } from "./replay.ts";

/** The conversation in a Responses request: the leading system messages as `instructions`, all others as items. */
export type Input = { instructions?: string; input: object[] };

/** Converts the messages of a model call to the instructions and input items of a Responses request. */
export function toInput(call: ModelCall): Input {
  const { system, rest } = splitLeadingSystem(call);
  const input = rest.flatMap((message) => toItems[message.role](message, call));
  if (rest.some(({ name }) => name !== undefined)) call.reportOmitted("name", "messages have no names in Responses");
  // A request needs input, so lone instructions are sent as a system message.
  if (input.length === 0) return { input: [{ role: "developer", content: system }] };
  return { ...(system !== "" && { instructions: system }), input };
}

const toItems: Readonly<Record<MessageRole, (message: ChatMessage, call: ModelCall) => object[]>> = {
  system: (message, call) => [{ role: "developer", content: plainText(message, call) }],
  user: (message, call) => [{ role: "user", content: toContent(message, call) }],
  assistant: (message, call) => replayedItems(message, call) ?? toAssistantItems(message, call),
  tool: (message, call) => [
    { type: "function_call_output", call_id: message.toolCallId ?? "", output: toOutput(message, call) },
  ],
};

/** Converts an answer of an earlier turn or another model: text and calls, without vendor state. */
function toAssistantItems(message: ChatMessage, call: ModelCall): object[] {
  const text = call.parts.readText(message);
  const calls = (message.toolCalls ?? []).map(({ id, name, arguments: args }) => ({
    type: "function_call",
    call_id: id,
    name: plainName(name),
    arguments: JSON.stringify(args),
  }));
  return text === "" ? calls : [{ role: "assistant", content: text }, ...calls];
}

/** Converts the result of a tool: a string, or parts if it has images or files. */
function toOutput(message: ChatMessage, call: ModelCall): string | object[] {
  const parts = call.parts.read(message, (part) => readPart(part, call));
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.text] : []));
  if (texts.length === parts.length) return texts.join("\n");
  return parts.filter((part) => part.kind !== "text" || part.text !== "").map(toInputPart);
}

function toContent(message: ChatMessage, call: ModelCall): string | object[] {
  if (!Array.isArray(message.content)) return message.content ?? "";
  const parts = call.parts
    .read(message, (part) => readPart(part, call))
    .filter((part) => part.kind !== "text" || part.text !== "")
    .map(toInputPart);
  return parts.length === 0 ? "" : parts;
}

function toInputPart(part: ReadPart): object {
  if (part.kind === "text") return { type: "input_text", text: part.text };
  if (part.kind === "image") return { type: "input_image", image_url: part.url, detail: "auto" };
  if (part.kind === "audio") return { type: "input_audio", input_audio: { data: part.base64, format: part.format } };
  if (part.isRemote) return { type: "input_file", file_url: part.url };
  return { type: "input_file", filename: part.filename, file_data: part.url };
}
