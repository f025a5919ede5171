import { cutText } from "@troupe/core/kit";
import { indexTerms, searchedText, toIndexTerm } from "@troupe/core/vector";

/** The words of a document: distinct terms, the number of times that each occurs, and the length of the text in words. */
export type StoredWords = {
  readonly words: string[];
  readonly counts: number[];
  readonly wordCount: number;
};

/** Characters of a document that are searched by words, because each distinct word is an entry of an index. */
const longestText = 100_000;

/**
 * Maximum number of characters of a word. A longer word is cut, because it is probably not a word but, for example, an
 * image in base64.
 */
const longestWord = 100;

/** Returns the words of a document, as MongoDB stores them. */
export function toWords(document: { content: string; metadata?: Record<string, unknown> | undefined }): StoredWords {
  const { counts, length } = indexTerms(cutText(searchedText(document), longestText));
  return { words: [...counts.keys()].map(cutWord), counts: [...counts.values()], wordCount: length };
}

/** Returns the stored forms of the words of a query, each once. */
export function toStoredTerms(terms: readonly string[]): string[] {
  return [...new Set(terms.map((term) => cutWord(toIndexTerm(term))))];
}

function cutWord(word: string): string {
  return cutText(word, longestWord);
}
