import { findWords } from "./words.ts";

/** Characters up to which the result of a tool is quoted as a whole. */
const shortEnough = 600;
/** Number of sentences that are quoted from a long result. */
const mostSentences = 3;

/** Matches a numbered passage of a knowledge base: its title, and the text up to the next passage. */
const documents = /^\[\d+\] ("(?:[^"\\]|\\.)*")[^\n]*\n([\s\S]*?)(?=\n\n\[\d+\] "|$(?![\s\S]))/gm;

type Passage = { readonly source?: string; readonly text: string };

/**
 * Answers a request from the result of a tool. Quotes a short result whole. Of a long result or of found documents,
 * quotes the sentences that share most words with the request, and names the documents.
 */
export function quoteResult(result: string, request: string): string {
  const found = [...result.matchAll(documents)].map(([, id = "", text = ""]) => ({
    source: String(JSON.parse(id)),
    text,
  }));
  if (found.length > 0) return quoteDocuments(found, request);
  if (result.length <= shortEnough) return result;
  const best = bestSentences([{ text: result }], request).map(({ text }) => text);
  return best.length === 0 ? `${result.slice(0, shortEnough)} …` : best.join(" ");
}

function quoteDocuments(found: readonly Passage[], request: string): string {
  const best = bestSentences(found, request);
  if (best.length === 0) return `I found nothing that fits. These come nearest: ${sourcesOf(found)}.`;
  return `${best.map(({ text }) => text).join("\n\n")}\n\nQuoted from ${sourcesOf(best)}.`;
}

function sourcesOf(passages: readonly Passage[]): string {
  return [...new Set(passages.map(({ source = "" }) => source))].join(", ");
}

/**
 * Returns the sentences that share most words with the request, in the order of the documents. Rare words count more.
 */
function bestSentences(passages: readonly Passage[], request: string): Passage[] {
  const wanted = new Set(findWords(request));
  const sentences = passages.flatMap(({ text, ...source }, rank) => {
    return splitSentences(text).map((sentence) => ({
      ...source,
      text: sentence,
      rank,
      words: new Set(findWords(sentence)),
    }));
  });
  const rarity = (word: string) =>
    Math.log(1 + sentences.length / (1 + sentences.filter(({ words }) => words.has(word)).length));
  const weights = new Map([...wanted].map((word) => [word, rarity(word)]));
  const rated = sentences.map((sentence, index) => {
    const score = [...weights].reduce((sum, [word, weight]) => sum + (sentence.words.has(word) ? weight : 0), 0);
    // Documents are sorted by relevance, so earlier documents count more.
    return { ...sentence, index, score: score / (1 + 0.1 * sentence.rank) };
  });
  // A sentence may share a single word with a long question by chance, so one common word is not enough.
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const best = rated.filter(({ score }) => score >= whole / 3).toSorted((one, other) => other.score - one.score);
  const least = (best[0]?.score ?? 0) * 0.5;
  return best
    .filter(({ score, text }, index) => score >= least && best.findIndex((other) => other.text === text) === index)
    .slice(0, mostSentences)
    .toSorted((one, other) => one.index - other.index);
}

/**
 * Splits a Markdown text into sentences, table rows and list items. Leaves out headings, rules, code, and items of up
 * to 30 characters.
 */
function splitSentences(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?(?:^```|$(?![\s\S]))/gm, "").replace(/^[ \t]*(?:#.*|[-|: ]+|<.*)$/gm, "\n");
  return prose
    .split(/\n(?=[ \t]*(?:[-*|]|\d+\.)\s)|\n{2,}|\n(?=\|)|(?<=[.!?])\s+(?=[\p{Lu}`*[])/u)
    .map((sentence) => tidy(sentence))
    .filter((sentence) => sentence.length > 30 && !isCode.test(sentence));
}

/** Matches lines of code, with which a piece of a document may begin or end. */
const isCode = /[;{(]$|=>|^(?:import|const|export|await|return|curl|npm|\/\/)\b|\);/;

function tidy(sentence: string): string {
  const line = sentence
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^(?:[-*]|\d+\.)\s+/, "");
  const row = line.startsWith("|")
    ? line
        .split("|")
        .map((cell) => cell.trim())
        .filter((cell) => cell !== "")
        .join(": ")
    : line;
  // Links of a document lead nowhere outside the document, so only their text is kept.
  return row.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").slice(0, 500);
}
