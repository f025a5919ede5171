import { stemWord } from "./stem-word.ts";

/** Characters of languages that write words without spaces. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;

const eachUnspaced = new RegExp(unspaced, "gu");
const runs = new RegExp(String.raw`${unspaced}+|(?:(?!${unspaced})[\p{L}\p{N}\p{M}])+`, "gu");
const isUnspaced = new RegExp(`^${unspaced}`, "u");

/** The maximum number of terms of a query; further words are omitted. */
const mostTerms = 64;

/**
 * Words of English questions that say nothing about their subject. Many of them are rare in documents: a text seldom
 * says "How do I …", so that as rare words they would outweigh the words that name the subject.
 */
const emptyWords: ReadonlySet<string> = new Set(
  `a am an and any are as at be been being but by can could did do does doing for from had has have having he her hers
  him his how i if in into is it its me mine my of on or our ours shall she should so than that the their theirs them
  then there these they this those to was we were what when where which who whom whose why will with would you your
  yours`.split(/\s+/),
);

/**
 * Returns the distinct words of a query in lower case. For scripts without spaces, each pair of adjacent characters
 * becomes a term, with a space between the two as in `toWordIndexText`. Leaves out empty words such as "how", unless the
 * query has no others; in capitals, as in "IT", they may be names.
 */
export function queryTerms(query: string): string[] {
  const terms = new Set<string>();
  const empty = new Set<string>();
  for (const [written] of query.normalize("NFKC").matchAll(runs)) {
    const run = written.toLowerCase();
    const characters = isUnspaced.test(run) ? Array.from(run) : [];
    if (characters.length < 2) (isEmpty(written) ? empty : terms).add(run);
    for (let index = 1; index < characters.length; index++) terms.add(`${characters[index - 1]} ${characters[index]}`);
    if (terms.size >= mostTerms) break;
  }
  return [...(terms.size > 0 ? terms : empty)].slice(0, mostTerms);
}

function isEmpty(word: string): boolean {
  const lower = word.toLowerCase();
  const isName = word.length > 1 && word !== lower && word === word.toUpperCase();
  return !isName && emptyWords.has(lower);
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
