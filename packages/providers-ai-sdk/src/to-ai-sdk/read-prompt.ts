import { TroupeError } from "@troupe/core";
import type { ChatMessage, ContentPart, MessageContent, ToolCall } from "@troupe/core";
import { getOwn, readObject, readObjects, readText } from "@troupe/core/kit";
import type { AiSdkCall } from "./types.ts";

/** A prompt of the AI SDK in the form for a run: the user's last message, and everything before it. */
type ReadPrompt = { input: MessageContent; history: ChatMessage[] };

type Part = Readonly<Record<string, unknown>>;

/**
 * Converts a prompt of the AI SDK. Throws `invalid_request` if it does not end with a message of the user: an agent
 * cannot continue its own answer, and executes its tools itself.
 */
export function readPrompt(prompt: AiSdkCall["prompt"]): ReadPrompt {
  const messages = prompt.flatMap(toMessages);
  const last = messages.at(-1);
  if (last?.role !== "user" || last.content === null) {
    throw new TroupeError("invalid_request", "The prompt must end with a message of the user.");
  }
  return { input: last.content, history: messages.slice(0, -1) };
}

function toMessages({ role, content }: AiSdkCall["prompt"][number]): ChatMessage[] {
  if (role === "system") return [{ role, content: readText(content) }];
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : readObjects(content);
  if (role === "user") return [{ role, content: toContent(parts) }];
  if (role === "assistant") return toAnswer(parts);
  return parts.flatMap(toResult);
}

/**
 * Converts an assistant message. It contains the results of the tools that the agent executed. Text after a result
 * becomes a separate message.
 */
function toAnswer(parts: readonly Part[]): ChatMessage[] {
  const ends = parts.flatMap(({ type }, index) => {
    const isLastResult = type === "tool-result" && parts[index + 1]?.["type"] !== "tool-result";
    return isLastResult ? [index + 1] : [];
  });
  const cuts = [0, ...ends, parts.length];
  return cuts.slice(1).flatMap((end, index) => toTurn(parts.slice(cuts[index], end)));
}

function toTurn(parts: readonly Part[]): ChatMessage[] {
  const text = parts.map((part) => (part["type"] === "text" ? readText(part["text"]) : "")).join("");
  const calls = parts.filter(({ type }) => type === "tool-call").map(toCall);
  if (text === "" && calls.length === 0) return [];
  const content = text === "" ? null : text;
  const answer: ChatMessage = { role: "assistant", content, ...(calls.length > 0 && { toolCalls: calls }) };
  return [answer, ...parts.flatMap(toResult)];
}

function toCall({ toolCallId, toolName, input }: Part): ToolCall {
  return { id: readText(toolCallId), name: readText(toolName), arguments: readObject(input) };
}

function toResult({ type, toolCallId, output }: Part): ChatMessage[] {
  if (type !== "tool-result") return [];
  return [{ role: "tool", toolCallId: readText(toolCallId), content: toOutput(readObject(output)) }];
}

function toOutput({ type, value, reason }: Part): MessageContent {
  if (type === "content") return toContent(readObjects(value));
  if (type === "execution-denied") return `not executed: ${readText(reason) || "denied"}`;
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function toContent(parts: readonly Part[]): MessageContent {
  const content = parts.flatMap(toPart);
  const [only] = content;
  return content.length === 1 && only?.type === "text" ? only.text : content;
}

function toPart(part: Part): ContentPart[] {
  if (part["type"] === "text") return [{ type: "text", text: readText(part["text"]) }];
  if (part["type"] !== "file") return [];
  const mimeType = readText(part["mediaType"]);
  const data = dataOf(part["data"]);
  if (data === undefined) throw new TroupeError("unsupported_media_type", "An agent takes no file by its vendor's id.");
  const filename = readText(part["filename"]);
  const kind = getOwn(kinds, mimeType.split("/")[0] ?? "");
  if (kind !== undefined) return [{ type: kind, data, ...(!mimeType.endsWith("/*") && { mimeType }) }];
  return [{ type: "file", data, mimeType, ...(filename !== "" && { filename }) }];
}

const kinds: Readonly<Record<string, "image" | "audio">> = { image: "image", audio: "audio" };

/**
 * Returns the data of a file as base64 or as a URL. Returns `undefined` for a reference to a file that a vendor
 * stores.
 */
function dataOf(data: unknown): string | undefined {
  if (typeof data === "string") return data;
  if (data instanceof URL) return data.href;
  if (data instanceof Uint8Array) return Buffer.from(data).toString("base64");
  const { type, data: bytes, url, text } = readObject(data);
  if (type === "data" || type === "url") return dataOf(bytes ?? url);
  return type === "text" ? Buffer.from(readText(text)).toString("base64") : undefined;
}
