import { cutText } from "../base/util/cut-text.ts";

/** A heading of a text, from the start of its line, with its level from 1 and the heading that it is below. */
type Heading = {
  readonly start: number;
  readonly level: number;
  readonly title: string;
  readonly parent: Heading | undefined;
};

/** A part of a text that is not cut if it fits into a piece: code, a table, or a heading with the line below it. */
type Block = { readonly start: number; readonly end: number };

const headingLine = /^ {0,3}(#{1,6})[ \t]+(.*)$/;
const fenceLine = /^ {0,3}(`{3,}|~{3,})/;
const tableLine = /^[ \t]*\|.*\|[ \t]*$/;

const longestTitle = 120;
const longestLine = 2000;

/**
 * The structure of a Markdown text: its headings, and the blocks that should not be cut. Plain text has no structure.
 */
export class TextStructure {
  readonly #headings: Heading[] = [];
  readonly #sections: ReadonlySet<number>;
  readonly #blocks: Block[] = [];

  constructor(text: string) {
    const reader = new LineReader(this.#headings, this.#blocks);
    for (let start = 0; start < text.length;) {
      const newline = text.indexOf("\n", start);
      const end = newline === -1 ? text.length : newline + 1;
      // A line longer than the limit counts as plain text, which is not worth parsing.
      reader.read(start, end - start > longestLine ? "text" : text.slice(start, end).trimEnd());
      start = end;
    }
    reader.end(text.length);
    this.#sections = new Set(this.#headings.map(({ start }) => start));
  }

  /** Returns true if a section begins at this index. */
  isSection(index: number): boolean {
    return this.#sections.has(index);
  }

  /** Returns true if an index is within a block, so that a cut there would divide it. */
  isWithinBlock(index: number): boolean {
    const block = lastBefore(this.#blocks, index);
    return block !== undefined && index < block.end;
  }

  /** Returns the headings above an index, from the outermost, joined by ` › `; empty if there are none. */
  headingsAt(index: number): string {
    const path: string[] = [];
    let heading = lastBefore(this.#headings, index + 1);
    for (; heading !== undefined; heading = heading.parent) path.unshift(heading.title);
    return path.join(" › ");
  }
}

/** Reads the lines of a text in order, and collects headings and blocks. */
class LineReader {
  readonly #headings: Heading[];
  readonly #blocks: Block[];
  #fence: { readonly start: number; readonly mark: string } | undefined;
  #table: number | undefined;
  #heading: number | undefined;

  constructor(headings: Heading[], blocks: Block[]) {
    this.#headings = headings;
    this.#blocks = blocks;
  }

  read(start: number, line: string): void {
    if (this.#fence !== undefined) return this.#readCode(this.#fence, start, line);
    this.#endHeading(start, line);
    if (tableLine.test(line)) {
      this.#table ??= start;
      return;
    }
    this.#endTable(start);
    const mark = fenceLine.exec(line)?.[1];
    if (mark !== undefined) this.#fence = { start, mark };
    const [, marks, title = ""] = headingLine.exec(line) ?? [];
    if (marks === undefined) return;
    this.#addHeading(start, marks.length, title);
    this.#heading = start;
  }

  #addHeading(start: number, level: number, line: string): void {
    let parent = this.#headings.at(-1);
    while (parent !== undefined && parent.level >= level) parent = parent.parent;
    const title = cutText(withoutClosing(line), longestTitle).toWellFormed();
    this.#headings.push({ start, level, parent, title });
  }

  end(length: number): void {
    this.#endTable(length);
    if (this.#fence !== undefined) this.#block(this.#fence.start, length);
  }

  #readCode({ start: first, mark }: { start: number; mark: string }, start: number, line: string): void {
    const text = line.trim();
    if (!text.startsWith(mark) || text !== (mark[0] ?? "").repeat(text.length)) return;
    this.#block(first, start + line.length);
    this.#fence = undefined;
  }

  /** Extends a heading to the first line below it that has text, so that the two are not separated. */
  #endHeading(start: number, line: string): void {
    if (this.#heading === undefined || line.trim() === "") return;
    this.#block(this.#heading, start + 1);
    this.#heading = undefined;
  }

  #endTable(end: number): void {
    if (this.#table !== undefined) this.#block(this.#table, end);
    this.#table = undefined;
  }

  #block(start: number, end: number): void {
    const last = this.#blocks.at(-1);
    // A block may begin with the line that belongs to a preceding heading. The two then become one block.
    if (last !== undefined && start < last.end) this.#blocks[this.#blocks.length - 1] = { start: last.start, end };
    else this.#blocks.push({ start, end });
  }
}

/**
 * Returns the title of a heading without the signs that may close its line. It is a loop, because a pattern would take
 * seconds for a hostile line.
 */
function withoutClosing(title: string): string {
  let end = title.length;
  while (title[end - 1] === "#") end -= 1;
  return end === 0 || /\s/.test(title[end - 1] ?? "") ? title.slice(0, end).trimEnd() : title;
}

/** Returns the last part of a text that begins before an index, by binary search. The parts are in order. */
export function lastBefore<Part extends { readonly start: number }>(
  parts: readonly Part[],
  index: number,
): Part | undefined {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((parts[middle] as Part).start < index) low = middle + 1;
    else high = middle;
  }
  return parts[low - 1];
}
