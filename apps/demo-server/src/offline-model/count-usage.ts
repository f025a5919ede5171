import { getTextContent, isMultiModal } from "@troupe/core";
import type { ChatMessage, ModelOptions, TokenUsage } from "@troupe/core";
import { countWords } from "./words.ts";
import type { Reply } from "./reply.ts";

/** What a reply cost. A token is a word, a number or a sign here, and an attachment is one: nothing of it is read. */
export function countUsage(
  messages: readonly ChatMessage[],
  { tools = [] }: ModelOptions,
  { text, calls }: Reply,
): TokenUsage {
  const told = messages.reduce((sum, message) => sum + countMessage(message), 0);
  const promptTokens = told + countJson(tools);
  const completionTokens = countWords(text) + countJson(calls);
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

function countMessage({ content, toolCalls = [] }: ChatMessage): number {
  const attachments = isMultiModal(content) ? content.filter(({ type }) => type !== "text").length : 0;
  return countWords(getTextContent(content)) + attachments + countJson(toolCalls);
}

function countJson(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + countWords(JSON.stringify(value)), 0);
}
