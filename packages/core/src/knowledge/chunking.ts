import { integerOption, optional, customOption } from "../base/errors/option-checks.ts";
import { readOptions, wrongOption } from "../base/errors/read-options.ts";
import type { OptionTable } from "../base/errors/read-options.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import { estimateTextTokens, heaviestCharacter } from "../sessions/history/estimate-tokens.ts";
import { isRecord } from "../base/util/is-record.ts";
import { largestTopK } from "./vector/read-search-options.ts";
import { splitText } from "./split-text.ts";
import type { TextRange } from "./split-text.ts";
import { TextStructure } from "./text-structure.ts";

/** The size of the pieces of long documents, in estimated tokens. An English word has one or two tokens. */
type ChunkingOptions = {
  /** The maximum size of a piece; longer documents are split. @default 2000 */
  size?: number | undefined;
  /**
   * The maximum size of the end of a piece that is repeated at the beginning of the next piece: at most half of `size`.
   * @default a tenth of `size`
   */
  overlap?: number | undefined;
};

/**
 * Option of a `KnowledgeBase` for long documents: the size of their pieces, a custom function, or `false` to store
 * every document whole. The function returns the pieces of a text in order. The first begins at 0, each begins at or
 * before the end of the previous piece, and the last ends at the end of the text.
 */
export type Chunking = ChunkingOptions | false | ((content: string) => Iterable<TextRange>);

/** Splits the content of a document into ranges; returns `undefined` if the document stays whole. */
export type Splitter = (content: string) => TextRange[] | undefined;

/** The maximum number of pieces of one document, so that a single search can still find them all. */
export const maxPieces: number = largestTopK;

const defaultSize = 2000;

const optionTable: OptionTable<ChunkingOptions> = {
  size: optional(integerOption(1)),
  overlap: optional(integerOption(0)),
};

/** Option check for `chunking`. Its fields are checked by `createSplitter`. */
export const chunkingOption = customOption<Chunking>(
  "false, { size, overlap } or a function",
  (value) => value === false || typeof value === "function" || isRecord(value),
);

/** Makes the function that splits documents; `undefined` if documents are stored whole. */
export function createSplitter(chunking: Chunking = {}): Splitter | undefined {
  if (chunking === false) return undefined;
  if (typeof chunking === "function") return (content) => checkedRanges(chunking, content);
  const { size = defaultSize, overlap = Math.floor(size / 10) } = readOptions(optionTable, chunking, {
    path: "chunking",
  });
  if (overlap > size / 2)
    throw wrongOption({ path: "chunking", name: "overlap" }, `at most half of size ${size}`, overlap);
  return (content) => {
    // A short document is recognised without counting its tokens.
    const isShort = content.length * heaviestCharacter <= size * 100 || estimateTextTokens(content) <= size;
    return isShort
      ? undefined
      : withinLimit(splitText(content, { size, overlap, structure: new TextStructure(content) }));
  };
}

/** Collects the ranges returned by a custom function. Rejects ranges that omit or reorder parts of the text. */
function checkedRanges(split: (content: string) => unknown, content: string): TextRange[] | undefined {
  if (content === "") return undefined;
  const given = split(content);
  if (!isIterable(given)) throw refuse("must return an array or another iterable of { start, end }");
  const ranges = withinLimit(given).map((range) => readRange(range));
  let last: TextRange = { start: -1, end: 0 };
  for (const [index, range] of ranges.entries()) {
    checkNext(last, range, { content, index });
    last = range;
  }
  if (last.end !== content.length) {
    throw refuse(`must cover the content, but its last piece ends at ${last.end} of ${content.length} characters`);
  }
  return ranges.length === 1 ? undefined : ranges;
}

function checkNext(last: TextRange, { start, end }: TextRange, { content, index }: { content: string; index: number }) {
  const hasGap = start > last.end || start <= last.start || (index === 0 && start !== 0);
  if (hasGap || end <= last.end || end > content.length) {
    throw refuse(
      `must cover the content in order and without gaps, but piece ${index} is from ${start} to ${end} after an end at ${last.end}, in a content of ${content.length} characters`,
    );
  }
  if (!content.slice(start, end).isWellFormed()) throw refuse(`must not cut a surrogate pair, as piece ${index} does`);
}

function readRange(range: unknown): TextRange {
  const { start, end } = isRecord(range) ? range : {};
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end)) return { start: Number(start), end: Number(end) };
  throw refuse("must return pieces with the integers start and end");
}

/**
 * Collects the pieces of a document. Throws `invalid_value` beyond `maxPieces`, because a custom function may never
 * end.
 */
function withinLimit<Item>(items: Iterable<Item>): Item[] {
  const collected: Item[] = [];
  for (const item of items) {
    if (collected.length === maxPieces) {
      const message = `The content has more than ${maxPieces} pieces. Set a larger \`size\` in the option \`chunking\`, or divide the document.`;
      throw new TroupeError("invalid_value", message);
    }
    collected.push(item);
  }
  return collected;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof (value as Iterable<unknown> | null | undefined)?.[Symbol.iterator] === "function";
}

function refuse(problem: string): TroupeError {
  return new TroupeError("invalid_config", `The function \`chunking\` ${problem}.`);
}
