import type { ChatMessage } from "@troupe/core";
import type { Call } from "./call.ts";
import { refuse } from "./read-part.ts";

/** The text of a message that can hold nothing else: of the system, or of a tool. */
export function plainText(message: ChatMessage, call: Call): string {
  const texts = call.parts.read(message, (part) =>
    part.type === "text" ? part.text : refuse(part, call, `in a message of role "${message.role}"`),
  );
  return texts.join("\n");
}
