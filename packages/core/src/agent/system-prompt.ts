import type { ChatMessage } from "../message/message.ts";
import { isBlank } from "../util/is-blank.ts";

/** The parts of a run's system prompt: the instructions, and what memory and facts about the user add to them. */
export type SystemPrompt = { readonly instructions: string; readonly additions: string };

/** Returns the system prompt as one message, or no message when it is blank. */
export function systemMessages({ instructions, additions }: SystemPrompt): ChatMessage[] {
  const content = [instructions, additions].filter((text) => text !== "").join("\n\n");
  return isBlank(content) ? [] : [{ role: "system", content }];
}
