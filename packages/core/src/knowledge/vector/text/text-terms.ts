import { stemWord } from "./stem-word.ts";

/** Characters of languages that write words without spaces. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;

const eachUnspaced = new RegExp(unspaced, "gu");
const runs = new RegExp(String.raw`${unspaced}+|(?:(?!${unspaced})[\p{L}\p{N}\p{M}])+`, "gu");
const isUnspaced = new RegExp(`^${unspaced}`, "u");

/** The maximum number of terms of a query; further words are omitted. */
const mostTerms = 64;

/**
 * Returns the distinct words of a query in lower case. For scripts without spaces, each pair of adjacent characters
 * becomes a term, with a space between the two as in `toWordIndexText`.
 */
export function queryTerms(query: string): string[] {
  const terms = new Set<string>();
  for (const [run] of query.normalize("NFKC").toLowerCase().matchAll(runs)) {
    const characters = isUnspaced.test(run) ? Array.from(run) : [];
    if (characters.length < 2) terms.add(run);
    for (let index = 1; index < characters.length; index++) terms.add(`${characters[index - 1]} ${characters[index]}`);
    if (terms.size >= mostTerms) break;
  }
  return [...terms].slice(0, mostTerms);
}

/** Returns a text for a word index: each character of a script without spaces becomes a separate word. */
export function toWordIndexText(text: string): string {
  return text.normalize("NFKC").replace(eachUnspaced, " $& ");
}

/**
 * Returns the term under which a word, or a term of `queryTerms`, is indexed in memory: the stem of an English word,
 * and Latin letters without their accents.
 */
export function toIndexTerm(term: string): string {
  const isAccented = /[^\p{ASCII}]/u.test(term) && /\p{Script=Latin}/u.test(term);
  return stemWord(isAccented ? term.normalize("NFD").replace(/\p{Mn}/gu, "") : term);
}

/**
 * Returns the terms of a text, each with the number of its occurrences, and the length of the text in words. In scripts
 * without spaces, each character and each pair of adjacent characters is a term.
 */
export function indexTerms(text: string): { counts: Map<string, number>; length: number } {
  const counts = new Map<string, number>();
  let length = 0;
  for (const [run] of text.normalize("NFKC").toLowerCase().matchAll(runs)) {
    const words = isUnspaced.test(run) ? Array.from(run) : [toIndexTerm(run)];
    length += words.length;
    for (const [index, word] of words.entries()) {
      count(counts, word);
      if (index > 0) count(counts, `${words[index - 1]} ${word}`);
    }
  }
  return { counts, length };
}

function count(counts: Map<string, number>, term: string): void {
  counts.set(term, (counts.get(term) ?? 0) + 1);
}
