import type { ChatMessage } from "../../base/message/message.ts";
import { isBlank } from "../../base/util/is-blank.ts";

/** The parts of a run's system prompt: the instructions, and the additions of memory and user facts. */
export type SystemPrompt = { readonly instructions: string; readonly additions: string };

/**
 * Returns the system prompt: one message with the instructions and one with the additions. A blank message is omitted.
 * They are separate because vendors cache a prompt up to the first difference, and additions differ between runs.
 */
export function systemMessages({ instructions, additions }: SystemPrompt): ChatMessage[] {
  const contents = [instructions, additions].filter((text) => !isBlank(text));
  return contents.map((content) => ({ role: "system", content }));
}
