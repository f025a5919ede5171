import { GrammarError } from "../grammar.ts";
import type { Grammar } from "../grammar.ts";

/** Returns the rule that events break as a complete stream or, without its end, as a prefix. */
export function ruleBroken<Event>(
  grammar: Grammar<Event>,
  events: readonly Event[],
  isWhole = true,
): string | undefined {
  try {
    for (const event of events) grammar.read(event);
    if (isWhole) grammar.end();
    return undefined;
  } catch (error) {
    if (error instanceof GrammarError) return error.rule;
    throw error;
  }
}
