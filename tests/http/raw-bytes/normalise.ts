/**
 * The parts that differ between two recordings of one program, each with the text that replaces it. `Normaliser`
 * replaces ids.
 */
const varying: readonly (readonly [RegExp, string])[] = [
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\b/g, "<http date>"],
  [/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>"],
  [/\b1[789]\d{11}\b/g, "<ms>"],
  [/\b1[789]\d{14}(?=~)/g, "<µs>"],
  [/("(?:durationMs|timeToFirstTokenMs)":)\d+(?:\.\d+)?/g, "$1<duration>"],
  // Counted from the task's beginning to the end of the seven days for which an ended run is kept.
  [/("ttl(?:Ms)?":)6048\d{5}\b/g, "$1<seven days and the run>"],
];

/** A cursor of A2A: a time and an id in base64. */
const cursor = /\bMT[c-k][\w-]{60,70}\b/g;

/** Ids of OpenAI's API that hold others: of a response, a call and a request for approval. */
const holding = /\b(resp|call|mcpr)_([\w-]{60,})/g;

/** Ids of its items, which begin with that of their run, and its times in seconds. */
const itemId = /\b((?:msg|rs|mcp|fc)_)[\da-f]{32}/g;
const seconds = /("(?:created|created_at|completed_at)":)1[789]\d{8}\b/g;

const uuid = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g;

/**
 * Replaces what differs between two recordings. An id gets a name by the section in which it first stands, so that equal
 * ids stay equal and a new id in one section renames none in the others.
 */
export class Normaliser {
  readonly #names = new Map<string, string>();
  #section = 0;
  #count = 0;

  /** Begins the section with this number. */
  begin(section: number): void {
    this.#section = section;
    this.#count = 0;
  }

  apply(text: string): string {
    const open = text.replaceAll(cursor, (encoded) => `<base64 of ${Buffer.from(encoded, "base64url").toString()}>`);
    const decoded = open
      .replaceAll(
        holding,
        (_id, kind: string, held: string) => `<${kind} of ${Buffer.from(held, "base64url").toString()}>`,
      )
      .replaceAll(itemId, "$1<run>")
      .replaceAll(seconds, "$1<s>");
    const named = decoded.replaceAll(uuid, (id) => this.#nameOf(id));
    return varying.reduce((result, [pattern, replacement]) => result.replaceAll(pattern, replacement), named);
  }

  #nameOf(id: string): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const name = `<id ${this.#section}.${++this.#count}>`;
    this.#names.set(id, name);
    return name;
  }
}
