import { TroupeError } from "../errors/troupe-error.ts";
import { readRecord, recordVersion } from "../storage/stored-record.ts";
import type { RecordKey } from "../storage/stored-record.ts";
import { isRecord } from "../util/is-record.ts";
import { dataBlock, withoutBreaks } from "./data-block.ts";

/** The origin of a fact: found by a model in a conversation, or added by the program. */
export type FactSource = "auto" | "manual";

/** A fact about a user. */
export type UserFact = { id: string; fact: string; createdAt: Date; source: FactSource };

/** The stored form of a fact. */
export type FactRecord = {
  v: 1;
  fact: string;
  source: FactSource;
  /** Epoch milliseconds. Not for ordering: clocks can be set back. */
  createdAt: number;
  /** Greater than the order of all facts that the user had before. */
  order: number;
};

/** A stored fact with its id. */
export type StoredFact = FactRecord & { id: string };

/** The length of a fact, in characters. */
export const maxFactLength = 500;

/** True for the origin of a fact. */
export function isFactSource(value: unknown): value is FactSource {
  return value === "auto" || value === "manual";
}

/** Reads a stored fact. Throws `storage_corrupt` for a damaged one. */
export function readFact(value: unknown, place: RecordKey): FactRecord {
  return readRecord(value, place, isFactRecord);
}

/** Returns the public form of a stored fact. */
export function toUserFact({ id, fact, createdAt, source }: StoredFact): UserFact {
  return { id, fact, createdAt: new Date(createdAt), source };
}

/** Checks facts that the program adds. Blank ones are left out. */
export function checkFacts(facts: unknown): string[] {
  const isArray = Array.isArray(facts) && facts.every((fact) => typeof fact === "string");
  if (!isArray) throw new TroupeError("invalid_value", "facts must be an array of strings.");
  const tidied = facts.map(tidyFact).filter((fact) => fact !== "");
  const longest = tidied.reduce((length, fact) => Math.max(length, fact.length), 0);
  if (longest <= maxFactLength) return tidied;
  const problem = `Each fact must have at most ${maxFactLength} characters, got ${longest}. Split it into several.`;
  throw new TroupeError("invalid_value", problem);
}

/** Returns the stored text of a fact: well-formed, on one line. */
export function tidyFact(fact: string): string {
  return withoutBreaks(fact.toWellFormed());
}

/** Returns a key that is equal for facts that differ only in case, spaces or final punctuation. */
export function factKey(fact: string): string {
  // Upper case first: it writes out what has several lower cases, as "ß" has.
  const folded = tidyFact(fact.normalize("NFKC").toUpperCase().toLowerCase()).normalize("NFKC");
  return folded.replace(/[\s\p{Sentence_Terminal},;:]+$/u, "") || folded;
}

/** Writes facts as data for a prompt; empty when there are none. */
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
