import type { ChatMessage } from "@troupe/core";
import type { ModelCall } from "./model-call.ts";
import { plainText } from "./plain-text.ts";

/**
 * Splits the messages of a call into the leading system messages, joined to one text (`system`), and the other messages
 * (`rest`).
 */
export function splitLeadingSystem(call: ModelCall): { system: string; rest: readonly ChatMessage[] } {
  const { messages } = call;
  const firstOther = messages.findIndex(({ role }) => role !== "system");
  const leading = firstOther === -1 ? messages.length : firstOther;
  const texts = messages.slice(0, leading).map((message) => plainText(message, call));
  return { system: texts.filter((text) => text !== "").join("\n\n"), rest: messages.slice(leading) };
}
