import type { ChatMessage } from "../../base/message/message.ts";
import { isBlank } from "../../base/util/is-blank.ts";

/** The parts of a run's system prompt: the instructions, and what memory and facts about the user add to them. */
export type SystemPrompt = { readonly instructions: string; readonly additions: string };

/**
 * Returns the system prompt: a message with the instructions, and another with what is added to them, each unless it is
 * blank. Apart, since vendors keep a prompt in their cache up to the first difference, and additions differ between runs.
 */
export function systemMessages({ instructions, additions }: SystemPrompt): ChatMessage[] {
  const contents = [instructions, additions].filter((text) => !isBlank(text));
  return contents.map((content) => ({ role: "system", content }));
}
