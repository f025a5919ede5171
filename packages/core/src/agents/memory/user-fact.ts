import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readRecord, recordVersion } from "../../sessions/storage/stored-record.ts";
import type { RecordKey } from "../../sessions/storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { dataBlock, withoutBreaks } from "./data-block.ts";

/** Origin of a fact: `auto` was found by a model in a conversation, `manual` was added by the program. */
export type FactSource = "auto" | "manual";

/**
 * A fact about a user, remembered across sessions and returned by `UserMemory`. The fact is one line of at most 500
 * characters.
 */
export type UserFact = { id: string; fact: string; createdAt: Date; source: FactSource };

/** Stored record of a fact. Facts are sorted by `order`, not by `createdAt`; the id is in the record's key. */
export type FactRecord = {
  v: 1;
  fact: string;
  source: FactSource;
  /** Epoch milliseconds. Not used for ordering, because clocks can be set back. */
  createdAt: number;
  /** A number by which the user's facts are sorted: greater than the number of every earlier fact. */
  order: number;
};

/** A fact's stored record together with its id. */
export type StoredFact = FactRecord & { id: string };

/** Maximum length of a fact about a user, in characters. */
export const maxFactLength = 500;

/** Returns true if a value is an origin of a fact: `auto` or `manual`. */
export function isFactSource(value: unknown): value is FactSource {
  return value === "auto" || value === "manual";
}

/** Returns a fact's stored record after a check of its shape. Throws `storage_corrupt` if it is damaged. */
export function readFact(value: unknown, place: RecordKey): FactRecord {
  return readRecord(value, place, isFactRecord);
}

/** Returns the public form of a stored fact: without version and order, and with a `Date`. */
export function toUserFact({ id, fact, createdAt, source }: StoredFact): UserFact {
  return { id, fact, createdAt: new Date(createdAt), source };
}

/**
 * Returns facts that the program adds, tidied and without blank facts. Throws `invalid_value` for values other than
 * strings, and for a fact of more than 500 characters.
 */
export function checkFacts(facts: unknown): string[] {
  const isArray = Array.isArray(facts) && facts.every((fact) => typeof fact === "string");
  if (!isArray) throw new TroupeError("invalid_value", "facts must be an array of strings.");
  const tidied = facts.map(tidyFact).filter((fact) => fact !== "");
  const longest = tidied.reduce((length, fact) => Math.max(length, fact.length), 0);
  if (longest <= maxFactLength) return tidied;
  const problem = `Each fact must have at most ${maxFactLength} characters, got ${longest}. Split it into several.`;
  throw new TroupeError("invalid_value", problem);
}

/** Returns a fact's text in its stored form: well-formed, on one line. */
export function tidyFact(fact: string): string {
  return withoutBreaks(fact.toWellFormed());
}

/** Returns a key to compare facts by: equal for facts that differ only in case, spaces or final punctuation. */
export function factKey(fact: string): string {
  // The text is first converted to upper case, because that expands letters such as "ß", which have several lower-case
  // forms.
  const folded = tidyFact(fact.normalize("NFKC").toUpperCase().toLowerCase()).normalize("NFKC");
  return folded.replace(/[\s\p{Sentence_Terminal},;:]+$/u, "") || folded;
}

/**
 * Writes facts about a user as data for a prompt, marked as data rather than instructions. Returns an empty string if
 * there are no facts.
 */
export function factsBlock(facts: readonly UserFact[]): string {
  const about = "What is known about the user from earlier conversations.";
  return dataBlock({ tag: "user_facts", about, lines: facts.map(({ fact }) => fact) });
}

function isFactRecord(value: unknown): value is FactRecord {
  return (
    isRecord(value) &&
    value["v"] === recordVersion &&
    typeof value["fact"] === "string" &&
    isFactSource(value["source"]) &&
    Number.isFinite(value["createdAt"]) &&
    Number.isSafeInteger(value["order"])
  );
}
