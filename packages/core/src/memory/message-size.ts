import type { ContentPart } from "../message/content.ts";
import type { ChatMessage } from "../message/message.ts";

/** How many characters of a record a message takes, about: what is around its texts and data does not count. */
export function messageSize({ content, toolCalls = [] }: ChatMessage): number {
  const said = typeof content === "string" ? content.length : sum((content ?? []).map(partSize));
  return said + sum(toolCalls.map((call) => JSON.stringify(call).length));
}

function partSize(part: ContentPart): number {
  return part.type === "text" ? part.text.length : part.data.length;
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}
