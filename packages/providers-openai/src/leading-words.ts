import type { ChatMessage } from "@troupe/core";
import type { Call } from "./call.ts";
import { plainText } from "./plain-text.ts";

/**
 * Splits the messages of a call into the system messages at their beginning, joined to one text (`words`), and the
 * other messages (`rest`).
 */
export function splitLeading(call: Call): { words: string; rest: readonly ChatMessage[] } {
  const { messages } = call;
  const firstOther = messages.findIndex(({ role }) => role !== "system");
  const leading = firstOther === -1 ? messages.length : firstOther;
  const texts = messages.slice(0, leading).map((message) => plainText(message, call));
  return { words: texts.filter((text) => text !== "").join("\n\n"), rest: messages.slice(leading) };
}
