import { TroupeError } from "@troupe/core";
import { cutText } from "@troupe/core/kit";
import type { ReadContent } from "./read-content.ts";
import type { ReadLimits } from "./read-options.ts";
import { decodeText } from "./read-text.ts";

/** The maximum characters of a column's name in each row of a table. */
const longestLabel = 200;

/** The maximum size of the text of a table, as a multiple of the maximum size of a document. */
const mostGrowth = 4;

/** The maximum numbers of rows with text, and of columns. Each takes a hundred times the memory of its bytes. */
const [mostRows, mostColumns] = [1_000_000, 10_000];

/** The text of a row, and its number in the document. */
type Row = { readonly text: string; readonly row: number };

/** Reads a table. Each row becomes a line `column: value`, with the row number as its position; the header is row 1. */
export function readCsv(bytes: Uint8Array, separator: string, { maxBytes }: Pick<ReadLimits, "maxBytes">): ReadContent {
  return joinRows(tableRows(decodeText(bytes), separator), maxBytes * mostGrowth);
}

/** Reads one JSON value per line. Each becomes a line `name: value`, with the line number as its position. */
export function readJsonLines(bytes: Uint8Array, { maxBytes }: Pick<ReadLimits, "maxBytes">): ReadContent {
  return joinRows(jsonRows(decodeText(bytes)), maxBytes * mostGrowth);
}

function* tableRows(text: string, separator: string): Generator<Row> {
  let labels: readonly string[] | undefined;
  for (const { values, row } of parseCsv(text, separator)) {
    if (labels === undefined) labels = values.map((name) => cutText(oneLine(name), longestLabel).toWellFormed());
    else yield { row, text: describeRow(values, labels) };
  }
}

function describeRow(values: readonly string[], labels: readonly string[]): string {
  return values.flatMap((value, index) => (value.trim() === "" ? [] : [labelled(labels[index], value)])).join("; ");
}

function* jsonRows(text: string): Generator<Row> {
  let row = 0;
  for (let start = 0; start < text.length; row++) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end).trim();
    if (line !== "") yield { row: row + 1, text: describeLine(line, row + 1) };
    start = end + 1;
  }
}

function describeLine(line: string, row: number): string {
  try {
    return describeValue(JSON.parse(line));
  } catch {
    throw new TroupeError("invalid_value", `Line ${row} of the document is not JSON.`);
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

/** Makes content from rows, each on a line. Skips empty rows. Throws if there are too many rows or characters. */
function joinRows(rows: Iterable<Row>, mostCharacters: number): ReadContent {
  const places: { start: number; row: number }[] = [];
  const parts: string[] = [];
  let start = 0;
  for (const { text, row } of rows) {
    if (text === "") continue;
    places.push({ start, row });
    parts.push(`${text}\n`);
    start += text.length + 1;
    // The names of columns are repeated in each row, so that a small table may become a huge text.
    if (start > mostCharacters) throw refuse(`becomes a text of more than ${mostCharacters} characters`);
    if (places.length > mostRows) throw refuse(`has more than ${mostRows} rows`);
  }
  return { content: parts.join(""), places };
}

function refuse(problem: string): TroupeError {
  return new TroupeError("invalid_value", `The table ${problem}. Split it into several documents.`);
}

/** Matches a quoted value, a plain value, a separator, or line ends. */
const tokens = (separator: string) =>
  new RegExp(`"([^"]*(?:""[^"]*)*)"?|([^${separator}\\n"][^${separator}\\n]*)|(${separator})|(\\n+)`, "gy");

/**
 * Parses comma-separated values, row by row. Quoted values may contain separators, line ends and doubled quotation
 * marks. Empty lines have a number but no row.
 */
function* parseCsv(text: string, separator: string): Generator<{ values: string[]; row: number }> {
  let [values, value, row]: [string[], string, number] = [[], "", 1];
  for (const [, quoted, plain, isSeparator, lineEnds] of text.matchAll(tokens(separator))) {
    if (quoted !== undefined) value += quoted.replaceAll('""', '"');
    else if (plain !== undefined) value += plain;
    else {
      values.push(value);
      value = "";
      if (values.length > mostColumns) throw refuse(`has more than ${mostColumns} columns`);
      if (isSeparator !== undefined || lineEnds === undefined) continue;
      yield { values, row };
      values = [];
      row += lineEnds.length;
    }
  }
  if (value !== "" || values.length > 0) yield { values: [...values, value], row };
}
