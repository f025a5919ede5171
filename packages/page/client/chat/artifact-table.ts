import { formatShort, isObject, readJson } from "../ui/format.ts";
import type { Table } from "../ui/table-view.tsx";

/** Largest number of columns of data that is shown as a table. */
const mostColumns = 12;
/** Largest number of characters of separated values that are read. */
const longestText = 2_000_000;
/** Largest number of characters of a cell. */
const longestCell = 200;

/**
 * Reads the data of an artifact as a table: an array of objects with simple values, JSON of such an array, or
 * comma-separated values. Returns undefined for anything else.
 */
export function readTable(data: unknown, mimeType: string): Table | undefined {
  if (/^text\/(?:csv|tab-separated-values)\b/.test(mimeType)) {
    return typeof data === "string" && data.length <= longestText
      ? fromLines(data, mimeType.includes("tab") ? "\t" : ",")
      : undefined;
  }
  return fromRecords(typeof data === "string" && /^\s*\[/.test(data) ? readJson(data) : data);
}

function fromRecords(data: unknown): Table | undefined {
  if (!Array.isArray(data) || data.length === 0 || !data.every(isObject)) return undefined;
  const records = data as readonly Record<string, unknown>[];
  const head = [...new Set(records.flatMap(Object.keys))];
  const isSimple = records.every((record) => Object.values(record).every(isSimpleValue));
  if (!isSimple || head.length === 0 || head.length > mostColumns) return undefined;
  return { head, rows: records.map((record) => head.map((name) => cellOf(record, name))) };
}

function isSimpleValue(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function cellOf(record: Readonly<Record<string, unknown>>, name: string): string {
  return Object.hasOwn(record, name) ? formatShort(record[name], longestCell) : "";
}

function fromLines(text: string, separator: string): Table | undefined {
  const [head, ...rows] = readCells(text, separator).filter((cells) => cells.some((cell) => cell !== ""));
  if (head === undefined || head.length > mostColumns || rows.length === 0) return undefined;
  const shown = rows.map((row) => head.map((_, index) => formatShort(row[index] ?? "", longestCell)));
  return { head: head.map((cell) => formatShort(cell, longestCell)), rows: shown };
}

/** Reads separated values. A cell in quotes may have separators, line breaks and doubled quotes. */
function readCells(text: string, separator: string): string[][] {
  const rows: string[][] = [[]];
  const cell = separator === "," ? /"((?:[^"]|"")*)"|([^,\r\n]*)/y : /"((?:[^"]|"")*)"|([^\t\r\n]*)/y;
  for (let at = 0; at <= text.length; at += 1) {
    cell.lastIndex = at;
    const found = cell.exec(text);
    rows.at(-1)?.push(valueOf(found));
    at += found?.[0].length ?? 0;
    if (text[at] === separator) continue;
    // Text between the end of a quoted cell and the end of the line belongs to no cell, so it is skipped.
    const end = text.indexOf("\n", at);
    at = end === -1 ? text.length : end;
    if (end !== -1) rows.push([]);
  }
  return rows;
}

/** Returns the value of a cell: its text, without the quotes around it. */
function valueOf(found: RegExpExecArray | null): string {
  const [, quoted, plain = ""] = found ?? [];
  return quoted === undefined ? plain : quoted.replaceAll('""', '"');
}
