import { setImmediate } from "node:timers/promises";
import { indexTerms, toIndexTerm } from "./text-terms.ts";

/**
 * The documents that contain a term, as ascending slots, and the number of times that each document contains the term.
 */
type Posting = { readonly slots: number[]; readonly counts: number[] };

/**
 * The usual constants of BM25. They determine the weight of a word's repetitions, and the reduction of a long
 * document's score.
 */
const [saturation, lengthWeight] = [1.2, 0.75];

/** The number of slots of removed documents up to which they are kept, even if they are more than half of all slots. */
const mostEmptySlots = 1000;

/** Milliseconds of indexing after which other work of the process gets a turn. */
const mostAtOnceMs = 8;

type Text = { readonly id: string; readonly content: string };

/**
 * An index of the words of documents in memory, with BM25 as the measure of relevance. Texts are indexed by the next
 * search, so that a store that is only searched by vectors costs nothing.
 */
export class TextIndex {
  /** The texts that the next search indexes. */
  readonly #waiting = new Map<string, string>();
  /** The slot of each indexed document. Slots of removed documents stay empty until `#dropEmptySlots`. */
  readonly #slotOf = new Map<string, number>();
  #ids: (string | undefined)[] = [];
  #lengths: number[] = [];
  readonly #postings = new Map<string, Posting>();
  #totalLength = 0;

  /** Adds a text, which must not be in the index. */
  add({ id, content }: Text): void {
    this.#waiting.set(id, content);
  }

  /** Removes a text. The content must be the same as when the text was added. */
  remove({ id, content }: Text): void {
    if (this.#waiting.delete(id)) return;
    const slot = this.#slotOf.get(id);
    if (slot === undefined) return;
    for (const term of indexTerms(content).counts.keys()) this.#removeTerm(term, slot);
    this.#totalLength -= this.#lengths[slot] ?? 0;
    this.#slotOf.delete(id);
    this.#ids[slot] = undefined;
    if (this.slots > 2 * this.#slotOf.size + mostEmptySlots) this.#dropEmptySlots();
  }

  /** The number of slots, which each search visits. */
  get slots(): number {
    return this.#ids.length;
  }

  /** Indexes the waiting texts, with pauses for other work. When the promise is fulfilled, all texts are indexed. */
  async complete(): Promise<void> {
    let began = performance.now();
    for (const [id, content] of this.#waiting) {
      this.#waiting.delete(id);
      this.#index(id, content);
      if (performance.now() - began < mostAtOnceMs) continue;
      await setImmediate();
      began = performance.now();
    }
  }

  /** Calls `visit` with each indexed document that has one of the words of a query, and its relevance. */
  eachMatch(terms: readonly string[], visit: (id: string, score: number) => void): void {
    const scores = new Float64Array(this.#ids.length);
    for (const term of new Set(terms.map(toIndexTerm))) this.#addScores(term, scores);
    for (const [slot, score] of scores.entries()) {
      const id = this.#ids[slot];
      if (score > 0 && id !== undefined) visit(id, score);
    }
  }

  #addScores(term: string, scores: Float64Array): void {
    const posting = this.#postings.get(term);
    if (posting === undefined) return;
    const { slots, counts } = posting;
    const documents = this.#slotOf.size;
    const rarity = Math.log(1 + (documents - slots.length + 0.5) / (slots.length + 0.5));
    const meanLength = this.#totalLength / documents;
    for (let at = 0; at < slots.length; at++) {
      const [slot, count] = [slots[at] as number, counts[at] as number];
      const length = (this.#lengths[slot] as number) / meanLength;
      const damping = saturation * (1 - lengthWeight + lengthWeight * length);
      scores[slot] = (scores[slot] as number) + (rarity * count * (saturation + 1)) / (count + damping);
    }
  }

  #index(id: string, content: string): void {
    const slot = this.#ids.push(id) - 1;
    const { counts, length } = indexTerms(content);
    this.#slotOf.set(id, slot);
    this.#lengths[slot] = length;
    this.#totalLength += length;
    for (const [term, count] of counts) {
      const posting = this.#postings.get(term) ?? this.#newPosting(term);
      posting.slots.push(slot);
      posting.counts.push(count);
    }
  }

  /**
   * Renumbers the slots without the empty ones. Otherwise a collection whose documents are replaced again and again
   * would take more memory, and more time for each search.
   */
  #dropEmptySlots(): void {
    const [ids, lengths] = [this.#ids, this.#lengths];
    const renumbered = new Uint32Array(ids.length);
    [this.#ids, this.#lengths] = [[], []];
    for (const [slot, id] of ids.entries()) {
      if (id === undefined) continue;
      const place = this.#ids.push(id) - 1;
      renumbered[slot] = place;
      this.#lengths.push(lengths[slot] as number);
      this.#slotOf.set(id, place);
    }
    for (const { slots } of this.#postings.values()) {
      for (let at = 0; at < slots.length; at++) slots[at] = renumbered[slots[at] as number] as number;
    }
  }

  #newPosting(term: string): Posting {
    const posting: Posting = { slots: [], counts: [] };
    // A part of a string keeps the whole string in memory, so the term is copied.
    this.#postings.set(Buffer.from(term).toString(), posting);
    return posting;
  }

  #removeTerm(term: string, slot: number): void {
    const posting = this.#postings.get(term);
    const at = posting === undefined ? -1 : placeOf(posting.slots, slot);
    if (posting === undefined || at < 0) return;
    posting.slots.splice(at, 1);
    posting.counts.splice(at, 1);
    if (posting.slots.length === 0) this.#postings.delete(term);
  }
}

/** Returns the index of a number in an ascending array, or -1. */
function placeOf(ascending: readonly number[], wanted: number): number {
  let [first, end] = [0, ascending.length];
  while (first < end) {
    const middle = (first + end) >>> 1;
    if ((ascending[middle] as number) < wanted) first = middle + 1;
    else end = middle;
  }
  return ascending[first] === wanted ? first : -1;
}
