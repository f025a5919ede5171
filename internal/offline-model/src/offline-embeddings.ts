import type { EmbeddingProvider } from "@troupe/core";
import { findWords } from "./words.ts";

const dimensions = 1024;
/** Weight of a pair of neighbouring words, relative to a single word. */
const pairWeight = 0.5;
/** Weight of a word in the first line, beside its weight in the text. */
const titleWeight = 1;

/**
 * Embeddings without a network or a key: texts are similar if they share words. The meaning of words is not compared,
 * so a question finds a document only by common words.
 */
export class OfflineEmbeddings implements EmbeddingProvider {
  readonly providerId = "offline";
  readonly modelId = "words-2";
  readonly dimensions = dimensions;

  async embed(text: string): Promise<number[]> {
    return await Promise.resolve(toVector(text));
  }

  async embedBatch(texts: readonly string[]): Promise<number[][]> {
    return await Promise.resolve(texts.map(toVector));
  }
}

/**
 * Makes the vector of a text: adds each word at the position of its hash. A word that occurs often counts little more
 * than a word that occurs once.
 */
function toVector(text: string): number[] {
  const counts = new Map<string, number>();
  countWords(counts, findWords(text), 1);
  // The first line of a text is often its title, which names the subject.
  countWords(counts, findWords(text.slice(0, text.search(/\n|$/))), titleWeight);
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const [word, count] of counts) {
    const hash = hashOf(word);
    const place = hash % dimensions;
    vector[place] = (vector[place] ?? 0) + (hash & 0x10000 ? 1 : -1) * Math.log(1 + count);
  }
  const length = Math.hypot(...vector);
  // A text without words gets a fixed vector, because a vector of zeros has no direction.
  if (length === 0) return vector.with(0, 1);
  return vector.map((value) => value / length);
}

/** Adds each word and each pair of neighbouring words to the counts, as often as `times`. */
function countWords(counts: Map<string, number>, words: readonly string[], times: number): void {
  for (const [index, word] of words.entries()) {
    counts.set(word, (counts.get(word) ?? 0) + times);
    const pair = `${words[index - 1] ?? ""} ${word}`;
    counts.set(pair, (counts.get(pair) ?? 0) + times * pairWeight);
  }
}

/** The FNV-1a hash, followed by a part of the final bit mixing of MurmurHash3. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
