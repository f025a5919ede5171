import { TroupeError } from "@troupe/core";
import { cutText } from "@troupe/core/kit";
import type { ReadContent } from "./read-content.ts";
import type { ReadLimits } from "./read-options.ts";

/** The maximum characters of a column's name in each row of a table. */
const longestLabel = 200;

/** The maximum size of the text of a table, as a multiple of the maximum size of a document. */
const mostGrowth = 4;

/** Decodes text in UTF-8, or in UTF-16 with a byte order mark. Other bytes are read as Windows-1252. */
export function decodeText(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding = first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "";
  const text = decodeAs(encoding === "" ? "utf-8" : encoding, bytes) ?? decodeAs("windows-1252", bytes) ?? "";
  if (text.includes("\0")) throw new TroupeError("invalid_value", "The document is not text: it has NUL characters.");
  return text.toWellFormed().replaceAll("\r\n", "\n");
}

function decodeAs(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Reads plain text. */
export function readPlainText(bytes: Uint8Array): ReadContent {
  return { content: decodeText(bytes) };
}

/** Reads Markdown. The first heading is the title. Front matter is skipped. */
export function readMarkdown(bytes: Uint8Array): ReadContent {
  const content = decodeText(bytes).replace(/^---\n(?:.*\n)*?---\n/, "");
  const heading = /^#[ \t]+(\S.*)$/m.exec(content.slice(0, 10_000))?.[1];
  return withTitle(content, heading === undefined ? undefined : withoutClosing(heading));
}

/** Returns the title of a heading without the signs that may close its line. A pattern would take seconds for hostile lines. */
function withoutClosing(heading: string): string {
  let end = heading.length;
  while (heading[end - 1] === "#") end -= 1;
  return end === 0 || /\s/.test(heading[end - 1] ?? "") ? heading.slice(0, end) : heading;
}

/** Returns content with its title, if there is one. */
export function withTitle(content: string, title = ""): ReadContent {
  const line = title.replace(/\s+/g, " ").trim().slice(0, 200).toWellFormed();
  return line === "" ? { content } : { content, metadata: { title: line } };
}

/** Reads a table. Each row becomes a line `column: value`, with the row number as its position; the header is row 1. */
export function readCsv(bytes: Uint8Array, separator: string, { maxBytes }: Pick<ReadLimits, "maxBytes">): ReadContent {
  const [header = [], ...rows] = parseCsv(decodeText(bytes), separator);
  const labels = header.map((name) => cutText(oneLine(name), longestLabel).toWellFormed());
  // The header is repeated in each row, so that a small table may become a huge text.
  let left = maxBytes * mostGrowth;
  const lines = rows.map((row) => {
    const line = row
      .flatMap((value, index) => (value.trim() === "" ? [] : [labelled(labels[index], value)]))
      .join("; ");
    left -= line.length;
    if (left >= 0) return line;
    const message = `The table has too long a text, expected at most ${maxBytes * mostGrowth} characters (${mostGrowth} times maxBytes).`;
    throw new TroupeError("invalid_value", message);
  });
  return inLines(lines, 2);
}

/** Reads one JSON value per line. Each becomes a line `name: value`, with the line number as its position. */
export function readJsonLines(bytes: Uint8Array): ReadContent {
  const lines = decodeText(bytes).split("\n").map(describeLine);
  return inLines(lines, 1);
}

function describeLine(line: string, index: number): string {
  if (line.trim() === "") return "";
  try {
    return describeValue(JSON.parse(line));
  } catch {
    throw new TroupeError("invalid_value", `Line ${index + 1} of the document is not JSON.`);
  }
}

function describeValue(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return oneLine(asText(value));
  const fields = Object.entries(value).map(([name, field]) => labelled(name, asText(field)));
  return fields.join("; ");
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function labelled(name = "", value: string): string {
  const label = oneLine(name);
  return label === "" ? oneLine(value) : `${label}: ${oneLine(value)}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Makes content from lines, each with its number as position. Skips empty lines. */
function inLines(lines: readonly string[], first: number): ReadContent {
  const places: { start: number; row: number }[] = [];
  const parts: string[] = [];
  let start = 0;
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    places.push({ start, row: index + first });
    parts.push(`${line}\n`);
    start += line.length + 1;
  }
  return { content: parts.join(""), places };
}

/** Parses comma-separated values. Quoted values may contain separators, line ends and doubled quotation marks. */
function parseCsv(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const token = new RegExp(`"((?:[^"]|"")*)"?|([^${separator}\\n"][^${separator}\\n]*)|(${separator})|(\\n)`, "gy");
  let value = "";
  for (const [, quoted, plain, isSeparator, isEnd] of text.matchAll(token)) {
    if (quoted !== undefined) value += quoted.replaceAll('""', '"');
    else if (plain !== undefined) value += plain;
    else {
      row.push(value);
      value = "";
      if (isSeparator !== undefined || isEnd === undefined) continue;
      rows.push(row);
      row = [];
    }
  }
  if (value !== "" || row.length > 0) rows.push([...row, value]);
  return rows;
}
