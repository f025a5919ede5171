import { dataBlock } from "./data-block.ts";
import type { UserFact } from "./user-fact.ts";

/** The facts as data for a prompt; empty when there are none. */
export function factsBlock(facts: readonly UserFact[]): string {
  const about = "What is known about the user from earlier conversations.";
  return dataBlock({ tag: "user_facts", about, lines: facts.map(({ fact }) => fact) });
}
