import type { ContentPart } from "../message/content.ts";
import type { ChatMessage } from "../message/message.ts";
import { estimateTextTokens } from "./estimate-text-tokens.ts";

/** What vendors put around a message, and around a tool call. */
const perMessage = 4;
const perToolCall = 10;

/** An image of the size that vendors scale to, a minute of sound, a document of two pages. */
const perPart = { image: 1500, audio: 2000, file: 4000 } as const;

/** Files that vendors are sent as text. */
const textual = /^text\/|[/+](?:json|xml|yaml|csv)\b/;

/**
 * Estimates what a model counts for the messages. Text is weighed, a file of text by its size; images, sounds and other
 * files have a fixed price each, whatever form their data has. It is for keeping a history within bounds, not for bills.
 */
export function estimateTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

function messageTokens({ content, toolCalls = [] }: ChatMessage): number {
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : (content ?? []);
  const said = parts.reduce((sum, part) => sum + partTokens(part), perMessage);
  return toolCalls.reduce((sum, call) => {
    return sum + perToolCall + estimateTextTokens(call.name) + estimateTextTokens(JSON.stringify(call.arguments));
  }, said);
}

function partTokens(part: ContentPart): number {
  if (part.type === "text") return estimateTextTokens(part.text);
  if (part.type === "file" && textual.test(part.mimeType) && !/^https?:/i.test(part.data)) {
    // Base64 is four characters for three bytes, and three bytes are about a token.
    return Math.ceil(part.data.length / 4);
  }
  return perPart[part.type];
}
