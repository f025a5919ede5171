import { parseInline } from "./inline.ts";
import type { Inline } from "./inline.ts";

/** The alignment of the cells in a table's column. */
type Alignment = "start" | "center" | "end";

/** A block of a Markdown text. */
export type Block =
  | { readonly type: "paragraph"; readonly content: readonly Inline[] }
  | { readonly type: "heading"; readonly level: number; readonly content: readonly Inline[] }
  | { readonly type: "code"; readonly language: string; readonly text: string }
  | { readonly type: "quote"; readonly blocks: readonly Block[] }
  | { readonly type: "list"; readonly start: number | undefined; readonly items: readonly (readonly Block[])[] }
  | {
      readonly type: "table";
      readonly alignments: readonly Alignment[];
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly type: "rule" };

/** Deepest nesting of lists and quotes; lists and quotes that are nested deeper are shown as text. */
const deepest = 5;
const mostColumns = 30;
/** Longest text that is parsed, in characters. A longer text is shown unparsed. */
const longest = 400_000;

/** Parses a subset of Markdown, without any HTML. A code fence that is not closed extends to the end of the text. */
export function parseMarkdown(text: string): Block[] {
  if (text.length > longest) return [{ type: "code", language: "", text }];
  return parseLines(text.replaceAll("\r\n", "\n").split("\n"), 0);
}

/** A Markdown block, and the number of the line that follows it. */
type Taken = { readonly block: Block; readonly end: number };

function parseLines(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) {
      at++;
      continue;
    }
    const { block, end } = takeBlock(lines, at, depth);
    blocks.push(block);
    at = end;
  }
  return blocks;
}

function takeBlock(lines: readonly string[], at: number, depth: number): Taken {
  return (
    takeFence(lines, at) ??
    takeHeading(lines, at) ??
    takeRule(lines, at) ??
    (depth < deepest ? (takeQuote(lines, at, depth) ?? takeList(lines, at, depth)) : undefined) ??
    takeTable(lines, at) ??
    takeParagraph(lines, at, depth)
  );
}

function takeFence(lines: readonly string[], at: number): Taken | undefined {
  const opening = /^( {0,3})(`{3,16}|~{3,16})([^`]{0,80})$/.exec(lines[at] ?? "");
  if (opening === null) return undefined;
  const [, indent = "", fence = "", language = ""] = opening;
  let end = at + 1;
  while (end < lines.length && !closesFence(lines[end] ?? "", fence)) end++;
  const code = lines.slice(at + 1, end).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
  return { block: { type: "code", language: language.trim(), text: code.join("\n") }, end: end + 1 };
}

function closesFence(line: string, fence: string): boolean {
  const text = line.trim();
  return text.startsWith(fence) && text.replaceAll(fence[0] ?? "", "") === "";
}

function takeHeading(lines: readonly string[], at: number): Taken | undefined {
  const [mark, hashes = ""] = /^ {0,3}(#{1,6})[ \t]/.exec(lines[at] ?? "") ?? [];
  if (mark === undefined) return undefined;
  const text = (lines[at] ?? "").slice(mark.length).trim();
  return { block: { type: "heading", level: hashes.length, content: parseInline(text) }, end: at + 1 };
}

function takeRule(lines: readonly string[], at: number): Taken | undefined {
  const text = (lines[at] ?? "").replaceAll(/[ \t]/g, "");
  const isRule = text.length >= 3 && ["-", "*", "_"].some((mark) => text.replaceAll(mark, "") === "");
  return isRule ? { block: { type: "rule" }, end: at + 1 } : undefined;
}

function takeQuote(lines: readonly string[], at: number, depth: number): Taken | undefined {
  let end = at;
  while (end < lines.length && /^ {0,3}>/.test(lines[end] ?? "")) end++;
  if (end === at) return undefined;
  const quoted = lines.slice(at, end).map((line) => line.replace(/^ {0,3}> ?/, ""));
  return { block: { type: "quote", blocks: parseLines(quoted, depth + 1) }, end };
}

type Marker = { readonly indent: number; readonly width: number; readonly number: number | undefined };

/** Reads the marker of a list item: a dash, an asterisk, a plus, or a number. */
function markerOf(line = ""): Marker | undefined {
  const [mark, spaces = "", bullet = ""] = /^( {0,11})([-*+]|\d{1,9}[.)])(?:[ \t]|$)/.exec(line) ?? [];
  if (mark === undefined) return undefined;
  const number = Number.parseInt(bullet, 10);
  const width = Math.max(mark.length, spaces.length + bullet.length + 1);
  return { indent: spaces.length, width, number: Number.isNaN(number) ? undefined : number };
}

function takeList(lines: readonly string[], at: number, depth: number): Taken | undefined {
  const first = markerOf(lines[at]);
  if (first === undefined || first.indent > 3) return undefined;
  const items: Block[][] = [];
  let end = at;
  for (let marker: Marker | undefined = first; marker !== undefined && isSameList(marker, first);) {
    const { content, next } = takeItem(lines, end, marker);
    items.push(parseLines(content, depth + 1));
    end = next;
    marker = markerOf(lines[end]);
  }
  return { block: { type: "list", start: first.number, items }, end };
}

function isSameList(marker: Marker, first: Marker): boolean {
  return marker.indent < first.width && (marker.number === undefined) === (first.number === undefined);
}

/**
 * Takes the lines of a list item: the rest of its first line, the lines indented below it, and lines that continue its
 * text.
 */
function takeItem(lines: readonly string[], at: number, { width }: Marker): { content: string[]; next: number } {
  const content = [(lines[at] ?? "").slice(width)];
  let next = at + 1;
  for (; next < lines.length && belongsToItem(lines, next, width); next++) {
    content.push(dedent(lines[next] ?? "", width));
  }
  // A blank line between two items does not end the list.
  if (isBlank(lines[next]) && markerOf(lines[next + 1]) !== undefined) next++;
  return { content, next };
}

function belongsToItem(lines: readonly string[], at: number, width: number): boolean {
  const [before = "", line = "", after = ""] = lines.slice(at - 1, at + 2);
  if (isBlank(line)) return after.startsWith("  ") && !isBlank(after);
  const marker = markerOf(line);
  if (marker !== undefined) return marker.indent >= width;
  return line.startsWith("  ") || !(isBlank(before) || beginsBlock(line));
}

function dedent(line: string, width: number): string {
  let cut = 0;
  while (cut < width && line[cut] === " ") cut++;
  return line.slice(cut);
}

function takeTable(lines: readonly string[], at: number): Taken | undefined {
  const head = lines[at] ?? "";
  if (!head.includes("|")) return undefined;
  const delimiters = cellsOf(lines[at + 1] ?? "");
  const columns = cellsOf(head);
  if (columns.length !== delimiters.length || columns.length > mostColumns) return undefined;
  if (!delimiters.every((cell) => /^:?-{1,50}:?$/.test(cell))) return undefined;
  let end = at + 2;
  while (lines[end]?.includes("|") === true) end++;
  const rows = lines.slice(at + 2, end).map((line) => rowOf(line, columns.length));
  const alignments = delimiters.map(alignmentOf);
  return { block: { type: "table", alignments, head: columns.map(parseInline), rows }, end };
}

/** Reads a table row with this number of cells. Extra cells are joined to the last cell. */
function rowOf(line: string, columns: number): Inline[][] {
  const cells = cellsOf(line);
  const surplus = cells.splice(columns - 1).join(" | ");
  return Array.from({ length: columns }, (_, index) =>
    parseInline(index === columns - 1 ? surplus : (cells[index] ?? "")),
  );
}

function cellsOf(line: string): string[] {
  const inner = line.trim().replace(/^\|/, "");
  const cells = inner.split("|");
  if (cells.at(-1)?.trim() === "") cells.pop();
  return cells.map((cell) => cell.trim());
}

function alignmentOf(delimiter: string): Alignment {
  if (!delimiter.endsWith(":")) return "start";
  return delimiter.startsWith(":") ? "center" : "end";
}

function takeParagraph(lines: readonly string[], at: number, depth: number): Taken {
  let end = at + 1;
  while (end < lines.length && !isBlank(lines[end]) && !beginsBlock(lines[end] ?? "", depth)) end++;
  const text = lines
    .slice(at, end)
    .map((line) => line.trim())
    .join("\n");
  return { block: { type: "paragraph", content: parseInline(text) }, end };
}

/** Returns true for a line that ends the paragraph above it. */
function beginsBlock(line: string, depth = 0): boolean {
  const marker = depth < deepest ? markerOf(line) : undefined;
  const isItem = marker !== undefined && marker.indent <= 3 && (marker.number ?? 1) === 1 && line.trim().length > 2;
  return isItem || /^ {0,3}(?:#{1,6}[ \t]|>|`{3}|~{3})/.test(line) || takeRule([line], 0) !== undefined;
}

function isBlank(line = ""): boolean {
  return line.trim() === "";
}
