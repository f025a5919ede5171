import { createHash } from "node:crypto";
import { cutText } from "@troupe/core/kit";
import { indexTerms, searchedText, toIndexTerm } from "@troupe/core/vector";

/** The name of the sparse vector with the words of a document. The document's own vector has no name. */
export const wordsVector = "words";

/** A sparse vector: its dimensions are words, as hashes. */
export type SparseVector = { indices: number[]; values: number[] };

/** The settings of the sparse vector: Qdrant multiplies each word's value by the rarity of the word. */
export const wordsConfig = { modifier: "idf" } as const;

/** The usual constants of BM25, and the length of a text, in words, whose values are neither raised nor reduced. */
const [saturation, lengthWeight, usualLength] = [1.2, 0.75, 256];

/** Characters of a document that are searched by words, because each distinct word takes 8 bytes and more. */
const longestText = 100_000;

/**
 * Returns the words of a document as a sparse vector, with the values of BM25 without the factor for the rarity of
 * words. Undefined for a document without words.
 */
export function toSparseVector(document: {
  content: string;
  metadata?: Record<string, unknown> | undefined;
}): SparseVector | undefined {
  const { counts, length } = indexTerms(cutText(searchedText(document), longestText));
  if (counts.size === 0) return undefined;
  const damping = saturation * (1 - lengthWeight + (lengthWeight * length) / usualLength);
  const values = new Map<number, number>();
  for (const [term, count] of counts) {
    // Two words may have one hash, which then has the sum of their values.
    const index = hashOf(term);
    values.set(index, (values.get(index) ?? 0) + (count * (saturation + 1)) / (count + damping));
  }
  return { indices: [...values.keys()], values: [...values.values()] };
}

/** Returns the words of a query as a sparse vector. */
export function toSparseQuery(terms: readonly string[]): SparseVector {
  const indices = [...new Set(terms.map((term) => hashOf(toIndexTerm(term))))];
  return { indices, values: indices.map(() => 1) };
}

function hashOf(term: string): number {
  return createHash("sha256").update(term).digest().readUInt32BE(0);
}
