import type { ChatMessage } from "../message/message.ts";
import type { MessageContent } from "../message/content.ts";

/** The content with a text behind it. */
export function addText(content: MessageContent, text: string): MessageContent {
  return typeof content === "string" ? `${content}\n\n${text}` : [...content, { type: "text", text }];
}

/** The messages with a text behind what was said last. */
export function addToLast(messages: readonly ChatMessage[], text: string): ChatMessage[] {
  const last = messages.at(-1);
  if (last === undefined) return [{ role: "user", content: text }];
  return [...messages.slice(0, -1), { ...last, content: addText(last.content ?? "", text) }];
}
