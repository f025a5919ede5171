import type { ChatMessage } from "@troupe/core";
import type { ModelCall } from "./model-call.ts";
import { throwUnsupported } from "./read-part.ts";

/**
 * Returns the name of a tool in a form that the vendor accepts. Other vendors and stores allow more characters, and
 * even an empty name.
 */
export function plainName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64) || "_";
}

/** Returns the text of a system message. Throws `unsupported_media_type` for a part that is not text. */
export function plainText(message: ChatMessage, call: ModelCall): string {
  const texts = call.parts.read(message, (part) =>
    part.type === "text" ? part.text : throwUnsupported(part, call, `in a message of role "${message.role}"`),
  );
  return texts.join("\n");
}
