import { createId } from "../util/create-id.ts";
import { isRecord } from "../util/is-record.ts";

/**
 * A source of an answer: a page or a document that a tool found or the model cites. `toolCallId` is the id of the tool
 * call that found it.
 *
 * A passage of a document has `passage`, the beginning of its text. Its `id` names the passage, so that two passages of
 * one page are two sources. A mark such as `[2]` in an answer stands for the second source of the run.
 */
export type Source = {
  id: string;
  url?: string;
  title?: string;
  /** The place of the passage in its document, for people: `page 4`, or the headings above it. */
  place?: string;
  passage?: string;
  /** The similarity of the passage to the query, from -1 to 1. */
  score?: number;
  toolCallId?: string;
};

/** A source of an answer, in the stream of a model or a run. */
export type SourceChunk = { type: "source" } & Source;

/** URL schemes that would execute code if a page turned the URL into a link. */
const executableSchemes: readonly string[] = ["javascript:", "data:", "vbscript:"];

/**
 * Collects the sources of one answer, or of all model calls of a run, without duplicates. A source counts as known if
 * its address is known, or if it has no address and its id is known. Passages are known by id and address together. A
 * known id with a new address gets a new id.
 */
export class SourceList {
  readonly #ids = new Set<string>();
  /** The numbers of the sources, from 1, by the text that identifies them. */
  readonly #numbers = new Map<string, number>();
  readonly #sources: Source[] = [];

  /** The sources in the order in which they were added. */
  get all(): readonly Source[] {
    return this.#sources;
  }

  /**
   * Adds a source, reduced to its declared fields. Returns the added source, or undefined if it is already known or not
   * a source.
   */
  add(given: unknown): Source | undefined {
    const before = this.#sources.length;
    const number = this.number(given);
    return number === undefined || number <= before ? undefined : this.#sources[number - 1];
  }

  /** Adds a source as `add` does. Returns its number, counted from 1, or undefined if it is not a source. */
  number(given: unknown): number | undefined {
    const source = toSource(given);
    if (source === undefined) return undefined;
    const known = this.#numberOf(source);
    if (known !== undefined) return known;
    const { id, url } = source;
    const added = this.#ids.has(id) ? { ...source, id: createId() } : source;
    this.#ids.add(added.id);
    const number = this.#sources.push(added);
    for (const key of [passageKey(source), passageKey(added)]) this.#numbers.set(key, number);
    if (url !== undefined && !this.#numbers.has(addressKey(url))) this.#numbers.set(addressKey(url), number);
    return number;
  }

  #numberOf(source: Source): number | undefined {
    const { id, url, passage } = source;
    const byId = this.#numbers.get(passageKey(source));
    if (byId !== undefined) return byId;
    if (url !== undefined) return passage === undefined ? this.#numbers.get(addressKey(url)) : undefined;
    if (!this.#ids.has(id)) return undefined;
    const first = this.#sources.findIndex((each) => each.id === id);
    return first + 1;
  }
}

function passageKey({ id, url }: Source): string {
  return JSON.stringify([id, url ?? null]);
}

function addressKey(url: string): string {
  return JSON.stringify([url]);
}

const textFields = ["url", "title", "place", "passage", "toolCallId"] as const;

/** Returns true if a stored value is a source. */
export function isSource(value: unknown): value is Source {
  if (!isRecord(value) || typeof value["id"] !== "string") return false;
  if (value["score"] !== undefined && typeof value["score"] !== "number") return false;
  return textFields.every((name) => value[name] === undefined || typeof value[name] === "string");
}

/** Copies the declared fields of a source, so that no other fields are sent to clients. */
export function toPublicSource(source: Source): Source {
  const copy: Source = { id: source.id };
  for (const name of textFields) if (source[name] !== undefined) copy[name] = source[name];
  if (source.score !== undefined) copy.score = source.score;
  return copy;
}

function toSource(given: unknown): Source | undefined {
  if (!isRecord(given) || !isText(given["id"])) return undefined;
  const source: Source = { id: given["id"] };
  for (const name of textFields) {
    const text = given[name];
    if (isText(text) && (name !== "url" || isAddress(text))) source[name] = text;
  }
  const { score } = given;
  if (typeof score === "number" && Number.isFinite(score)) source.score = score;
  return source;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isAddress(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && !executableSchemes.includes(parsed.protocol);
}
