import { TroupeError } from "../errors/troupe-error.ts";
import { withoutBreaks } from "./data-block.ts";

/** The longest fact, in characters: what is longer is no fact. */
export const longestFact = 500;

/** Takes facts that somebody gives; blank ones are left out. */
export function checkFacts(facts: unknown): string[] {
  const isList = Array.isArray(facts) && facts.every((fact) => typeof fact === "string");
  if (!isList) throw new TroupeError("invalid_value", "facts must be a list of texts.");
  const texts = facts.map(tidy).filter((fact) => fact !== "");
  if (texts.every((fact) => fact.length <= longestFact)) return texts;
  throw new TroupeError("invalid_value", `A fact may have at most ${longestFact} characters: make several of it.`);
}

/** The fact as it is stored: well-formed, on one line. */
export function tidy(fact: string): string {
  return withoutBreaks(fact.toWellFormed());
}

/** What is the same for facts that say the same in other letters, spaces or final signs. */
export function factKey(fact: string): string {
  // Upper case first: it writes out what has several lower cases, as "ß" has.
  const folded = tidy(fact.normalize("NFKC").toUpperCase().toLowerCase()).normalize("NFKC");
  return folded.replace(/[\s\p{Sentence_Terminal},;:]+$/u, "") || folded;
}
