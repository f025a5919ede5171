import { getTextContent } from "../message/content.ts";
import type { MessageContent } from "../message/content.ts";

/** Whether there is nothing in the content but white space. */
export function isBlank(content: MessageContent | null): boolean {
  const hasOther = Array.isArray(content) && content.some((part) => part.type !== "text");
  return !hasOther && getTextContent(content).trim() === "";
}
