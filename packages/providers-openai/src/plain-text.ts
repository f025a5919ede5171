import { getTextContent } from "@troupe/core";
import type { ChatMessage } from "@troupe/core";
import type { Asked } from "./read-part.ts";
import { refuse } from "./read-part.ts";

/** The text of a message that can hold nothing else: of the system, of the model itself, of a tool. */
export function plainText({ role, content }: ChatMessage, asked: Asked): string {
  const other = Array.isArray(content) ? content.find(({ type }) => type !== "text") : undefined;
  if (other !== undefined) refuse(other, asked, `in a message of role "${role}"`);
  return getTextContent(content);
}
