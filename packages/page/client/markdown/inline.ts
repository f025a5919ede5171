import { readLink } from "./link.ts";
import type { Link } from "./link.ts";

/** A piece of running text in Markdown. */
export type Inline =
  | { readonly type: "text" | "code"; readonly text: string }
  | { readonly type: "strong" | "emphasis" | "deleted"; readonly children: readonly Inline[] }
  | { readonly type: "link"; readonly link: Link; readonly children: readonly Inline[] }
  | { readonly type: "break" };

/**
 * Deepest nesting of Markdown marks; marks that are nested deeper are shown as text. This limits the work for each
 * character.
 */
const deepest = 12;
/** Longest address of a link in characters. */
const longestAddress = 2000;

const marks = { "*": "emphasis", _: "emphasis", "**": "strong", __: "strong", "~~": "deleted" } as const;
type Mark = keyof typeof marks;

/** An open mark in the text, with its content so far; without an opener, the whole text. */
type Frame = { readonly opener: Mark | "[" | ""; readonly text: string; readonly children: Inline[] };

/** Parses running text: emphasis, code, links and line breaks. Anything else stays text. */
export function parseInline(text: string): Inline[] {
  return new InlineReader(text).read();
}

/** Reads running text once from beginning to end. Lookahead is bounded or remembered. */
class InlineReader {
  readonly #text: string;
  readonly #frames: Frame[] = [{ opener: "", text: "", children: [] }];
  /** By the length of a run of backticks: an index after which no run of this length follows. */
  readonly #noCode = new Map<number, number>();
  /** The readers of Markdown elements, by the character that begins the element. */
  readonly #readers = new Map<string, () => boolean>([
    ["\\", () => this.#readEscape()],
    ["\n", () => this.#readBreak()],
    ["`", () => this.#readCode()],
    ["*", () => this.#readDelimiters("*")],
    ["_", () => this.#readDelimiters("_")],
    ["~", () => this.#readDelimiters("~")],
    ["!", () => this.#text[this.#at + 1] === "[" && this.#open("[", 2)],
    ["[", () => this.#open("[", 1)],
    ["]", () => this.#closeLink()],
    ["h", () => this.#readAddress()],
  ]);
  #at = 0;
  #plain = "";

  constructor(text: string) {
    this.#text = text;
  }

  read(): Inline[] {
    while (this.#at < this.#text.length) {
      if (!this.#readMark(this.#text[this.#at] ?? "")) this.#plain += this.#text[this.#at++] ?? "";
    }
    this.#flush();
    while (this.#frames.length > 1) this.#dissolve();
    return this.#frames[0]?.children ?? [];
  }

  /** Reads the element that a special character begins. Returns false if it is plain text. */
  #readMark(character: string): boolean {
    return this.#readers.get(character)?.() ?? false;
  }

  #readEscape(): boolean {
    const next = this.#text[this.#at + 1] ?? "";
    if (!/[!-/:-@[-`{-~]/.test(next)) return false;
    this.#plain += next;
    this.#at += 2;
    return true;
  }

  /** Reads a line break. It is kept, although Markdown would join the lines, because models intend line breaks. */
  #readBreak(): boolean {
    this.#plain = this.#plain.trimEnd();
    this.#add({ type: "break" });
    this.#at++;
    return true;
  }

  #readCode(): boolean {
    const start = this.#at + runLength(this.#text, this.#at);
    const length = start - this.#at;
    const end = this.#codeEnd(start, length);
    if (end === -1) {
      this.#plain += this.#text.slice(this.#at, start);
      this.#at = start;
      return true;
    }
    const code = this.#text.slice(start, end).replaceAll("\n", " ");
    const isPadded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
    this.#add({ type: "code", text: isPadded ? code.slice(1, -1) : code });
    this.#at = end + length;
    return true;
  }

  #codeEnd(start: number, length: number): number {
    if ((this.#noCode.get(length) ?? Infinity) <= start) return -1;
    for (let at = this.#text.indexOf("`", start); at !== -1;) {
      const found = runLength(this.#text, at);
      if (found === length) return at;
      at = this.#text.indexOf("`", at + found);
    }
    this.#noCode.set(length, start);
    return -1;
  }

  /** Reads a run of asterisks, underscores or tildes. Each part of the run closes a mark, opens a mark, or is text. */
  #readDelimiters(character: string): boolean {
    const end = this.#at + runLength(this.#text, this.#at);
    const sides = sidesOf(character, this.#text[this.#at - 1], this.#text[end]);
    while (this.#at < end) this.#readDelimiter(character, { ...sides, left: end - this.#at });
    return true;
  }

  #readDelimiter(character: string, { left, mayOpen, mayClose }: Sides & { left: number }): void {
    const mark = this.#markFor(character, { left, mayClose });
    if (mark !== undefined && mayClose && this.#close(mark)) return;
    if (mark !== undefined && mayOpen && this.#open(mark, mark.length)) return;
    const size = mark?.length ?? 1;
    this.#plain += this.#text.slice(this.#at, this.#at + size);
    this.#at += size;
  }

  /** Chooses between `**` and `*`: open marks are closed first. */
  #markFor(character: string, { left, mayClose }: { left: number; mayClose: boolean }): Mark | undefined {
    const [single, double] = [character, character + character].map((mark) =>
      mark in marks ? (mark as Mark) : undefined,
    );
    if (left === 1) return single;
    const isSingleOpen = mayClose && single !== undefined && this.#frames.at(-1)?.opener === single;
    return isSingleOpen ? single : double;
  }

  #open(opener: Mark | "[", length: number): boolean {
    if (this.#frames.length > deepest) return false;
    this.#flush();
    this.#frames.push({ opener, text: this.#text.slice(this.#at, this.#at + length), children: [] });
    this.#at += length;
    return true;
  }

  #close(mark: Mark): boolean {
    const frame = this.#dissolveTo(mark);
    if (frame === undefined) return false;
    this.#add({ type: marks[mark], children: frame.children });
    this.#at += mark.length;
    return true;
  }

  /** Reads `](address)` if a bracket is open. If the address cannot be linked, everything becomes text. */
  #closeLink(): boolean {
    const destination = this.#readDestination(this.#at + 1);
    if (destination === undefined) return false;
    const frame = this.#dissolveTo("[");
    if (frame === undefined) return false;
    this.#add({ type: "link", link: destination.link, children: frame.children });
    this.#at = destination.end;
    return true;
  }

  #readDestination(start: number): { link: Link; end: number } | undefined {
    if (this.#text[start] !== "(") return undefined;
    let depth = 0;
    const limit = Math.min(this.#text.length, start + longestAddress);
    for (let at = start; at < limit; at++) {
      const character = this.#text[at];
      if (character === "\n") break;
      if (character === "(") depth++;
      if (character === ")" && --depth === 0) {
        const [address = ""] = this.#text
          .slice(start + 1, at)
          .trim()
          .split(/\s/, 1);
        const link = readLink(address.replace(/^<|>$/g, ""));
        return link && { link, end: at + 1 };
      }
    }
    return undefined;
  }

  /** Reads a bare address in the text. */
  #readAddress(): boolean {
    const end = this.#at + longestAddress;
    const ahead = this.#text.slice(this.#at, end);
    if (!/^https?:\/\//.test(ahead) || /[\p{L}\p{N}]/u.test(this.#text[this.#at - 1] ?? " ")) return false;
    if (this.#frames.some(({ opener }) => opener === "[")) return false;
    const address = trimAddress(/^[^\s<>"`*\]]+/.exec(ahead)?.[0] ?? "");
    const link = readLink(address);
    if (link === undefined) return false;
    this.#add({ type: "link", link, children: [{ type: "text", text: address }] });
    this.#at += address.length;
    return true;
  }

  #add(...nodes: Inline[]): void {
    this.#flush();
    this.#frames.at(-1)?.children.push(...nodes);
  }

  #flush(): void {
    if (this.#plain === "") return;
    this.#frames.at(-1)?.children.push({ type: "text", text: this.#plain });
    this.#plain = "";
  }

  /** Takes the innermost open mark of this kind. Unclosed marks inside it become text. */
  #dissolveTo(opener: Mark | "["): Frame | undefined {
    if (!this.#frames.some((frame) => frame.opener === opener)) return undefined;
    this.#flush();
    while (this.#frames.at(-1)?.opener !== opener) this.#dissolve();
    return this.#frames.pop();
  }

  /** Turns the innermost unclosed mark into text. */
  #dissolve(): void {
    const frame = this.#frames.pop();
    if (frame !== undefined) this.#frames.at(-1)?.children.push({ type: "text", text: frame.text }, ...frame.children);
  }
}

type Sides = { readonly mayOpen: boolean; readonly mayClose: boolean };

/**
 * Returns `mayOpen` and `mayClose` of a Markdown mark. It may open before a word and close after a word; an underscore
 * inside a word does neither.
 */
function sidesOf(character: string, before = " ", after = " "): Sides {
  const isWithin = (neighbour: string) => character === "_" && /[\p{L}\p{N}]/u.test(neighbour);
  return { mayOpen: !/\s/.test(after) && !isWithin(before), mayClose: !/\s/.test(before) && !isWithin(after) };
}

/** Returns the number of equal characters from an index on. */
function runLength(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && text[end] === text[start]) end++;
  return end - start;
}

/** Removes punctuation after an address, because it belongs to the sentence. */
function trimAddress(address: string): string {
  let end = address.length;
  while (end > 0 && /[.,;:!?'")\]]/.test(address[end - 1] ?? "")) {
    if (address[end - 1] === ")" && address.slice(0, end).includes("(")) break;
    end--;
  }
  return address.slice(0, end);
}
