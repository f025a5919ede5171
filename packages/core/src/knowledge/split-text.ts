import type { TextStructure } from "./text-structure.ts";
import { characterWeight } from "../sessions/history/estimate-tokens.ts";

/** A part of a string, from `start` up to but excluding `end`, counted in UTF-16 code units as in `slice`. */
export type TextRange = { start: number; end: number };

/**
 * The maximum size of a text's pieces and of their overlap, in estimated tokens, and the structure of the text, if it
 * has any. The overlap is the end of a piece that the next piece repeats.
 */
export type PieceSize = { readonly size: number; readonly overlap: number; readonly structure?: TextStructure };

/** The kind of a position at which a text may be cut, the best kind last. */
type BreakKind = "word" | "sentence" | "paragraph" | "section";

/** The number of UTF-16 code units in which the end of a character is searched: more than any emoji has. */
const characterWindow = 256;

/**
 * Splits a text into pieces of at most `size` tokens. A piece ends in its second half: before the last heading, at the
 * last paragraph end, or else the last sentence or line end, word end, or character end. Code, tables, and headings
 * with their first line stay whole if possible. A piece begins at most `overlap` tokens (at most half of `size`) before
 * the previous end: at the first sentence there, or else at a word or character. A piece that begins with a heading
 * repeats nothing.
 */
export function* splitText(text: string, { size, overlap, structure }: PieceSize): Generator<TextRange> {
  const structured = { text, structure };
  let start = 0;
  let last = 0;
  while (last < text.length) {
    let end = findEnd(structured, start, size);
    if (end <= last) {
      // The overlap leaves no room for another character in the piece. The piece therefore begins without overlap,
      // and has at least one character.
      start = last;
      end = findEnd(structured, start, size);
    }
    yield { start, end };
    last = end;
    start = structure?.isSection(end) === true ? end : findStart(text, { start, end }, overlap);
  }
}

type StructuredText = { readonly text: string; readonly structure: TextStructure | undefined };

/** Returns the end of the piece that begins at `start`. */
function findEnd({ text, structure }: StructuredText, start: number, size: number): number {
  const most = size * 100;
  const breaks = new BreakFinder();
  const last: Partial<Record<BreakKind, number>> = {};
  let weight = 0;
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const kind = breaks.kindBefore(code);
    if (kind !== undefined && weight * 2 > most) last[kindWithin(structure, index, kind)] = index;
    weight += characterWeight(code);
    if (weight > most && index > start) {
      const found = bestOf(last);
      if (found !== undefined) return found;
      const { before, after } = charactersAt(text, start, index);
      return before > start ? before : after;
    }
  }
  return text.length;
}

function bestOf({ section, paragraph, sentence, word }: Partial<Record<BreakKind, number>>): number | undefined {
  return section ?? paragraph ?? sentence ?? word;
}

/**
 * Returns the kind of a break, adjusted by the text's structure: within code or a table, every break counts like a
 * break between words.
 */
function kindWithin(structure: TextStructure | undefined, index: number, kind: BreakKind): BreakKind {
  if (kind === "word" || structure === undefined) return kind;
  if (structure.isWithinBlock(index)) return "word";
  return structure.isSection(index) ? "section" : kind;
}

/** Returns the start of the piece that follows another piece. */
function findStart(text: string, last: TextRange, overlap: number): number {
  const { end } = last;
  const earliest = goBack(text, last, overlap);
  const breaks = new BreakFinder();
  let word: number | undefined;
  for (let index = earliest; index < end; index++) {
    const kind = breaks.kindBefore(text.charCodeAt(index));
    if (kind === "word") word ??= index;
    else if (kind !== undefined) return index;
  }
  if (word !== undefined || earliest === end) return word ?? end;
  const { before, after } = charactersAt(text, last.start, earliest);
  return before === earliest ? earliest : Math.min(after, end);
}

/** Returns the first index such that the text from there to the end of a range has at most this number of tokens. */
function goBack(text: string, { start, end }: TextRange, tokens: number): number {
  let weight = 0;
  for (let index = end; index > start; index--) {
    weight += characterWeight(text.charCodeAt(index - 1));
    if (weight > tokens * 100) return index;
  }
  return start;
}

let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the start and end of the user-perceived character at `index`, such as a letter with its accents. An
 * artificially long character is cut.
 */
function charactersAt(text: string, start: number, index: number): { before: number; after: number } {
  const from = outsidePair(text, Math.max(start, index - characterWindow));
  const until = Math.min(index + characterWindow, text.length);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  // `containing` never returns undefined here, because the index is within the text.
  const found = segmenter.segment(text.slice(from, until)).containing(index - from) as Intl.SegmentData;
  const before = from + found.index;
  const after = before + found.segment.length;
  const isWhole = (before > from || from === start) && (after < until || until === text.length);
  if (isWhole) return { before, after };
  const whole = outsidePair(text, index);
  return { before: whole, after: whole === index ? index : index + 1 };
}

/** Returns the index, or the previous index if it would split a surrogate pair. */
function outsidePair(text: string, index: number): number {
  const isLow = (text.charCodeAt(index) & 0xfc00) === 0xdc00;
  const isPair = isLow && index > 0 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
  return isPair ? index - 1 : index;
}

type CharacterClass = "space" | "line" | "end" | "wideEnd" | "wideStop" | "closer";

const classes = new Map<number, CharacterClass>();
// The no-break space is missing in this class, because a text must not be cut there.
addClass("space", " \t\r\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u205f\u3000");
addClass("line", "\n\v\f\u0085\u2028\u2029");
// A sentence ends with a sign of the class `end` and a space. The wide signs of Chinese and Japanese need no space.
addClass("end", ".!?…؟۔।॥։።፧፨။។");
addClass("wideEnd", "。！？｡．");
addClass("wideStop", "、，；：､");
addClass("closer", "\"')]}*_’”»›」』）】》〉］｝");

function addClass(name: CharacterClass, characters: string): void {
  for (const character of characters) classes.set(character.charCodeAt(0), name);
}

/** Reads a text code unit by code unit, and returns the kind of break before each. */
class BreakFinder {
  #ended: CharacterClass | undefined;
  #spaces = 0;
  #lines = 0;

  kindBefore(code: number): BreakKind | undefined {
    // A shortcut: most characters of a text are lower-case letters.
    const found = code >= 97 && code <= 122 ? undefined : classes.get(code);
    if (found === "space" || found === "line") {
      this.#spaces += 1;
      if (found === "line") this.#lines += 1;
      return undefined;
    }
    // After a space, a closing mark counts as an opening mark: of a quotation, or of emphasis in Markdown.
    if (found === "closer" && this.#spaces === 0) return undefined;
    const kind = this.#kind();
    this.#ended = found;
    this.#spaces = 0;
    this.#lines = 0;
    return kind;
  }

  #kind(): BreakKind | undefined {
    if (this.#lines > 1) return "paragraph";
    if (this.#lines === 1 || this.#ended === "wideEnd") return "sentence";
    if (this.#spaces > 0) return this.#ended === "end" ? "sentence" : "word";
    return this.#ended === "wideStop" ? "word" : undefined;
  }
}
