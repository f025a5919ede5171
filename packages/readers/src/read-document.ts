import { extname, basename } from "node:path";
import { TroupeError } from "@troupe/core";
import type { ReadContent } from "./read-content.ts";
import { readOptions, wrongOption } from "@troupe/core/kit";
import { readCsv, readJsonLines } from "./read-rows.ts";
import { readMarkdown, readPlainText } from "./read-text.ts";
import { readHtml } from "./read-html.ts";
import { readDocx } from "./read-docx.ts";
import { readPdf } from "./read-pdf.ts";
import { readOptionTable } from "./read-options.ts";
import type { ReadLimits, ReadOptions } from "./read-options.ts";

/** The name of a document, whose extension determines the format. */
export type DocumentInfo = { readonly name: string };

type Reader = (bytes: Uint8Array, limits: ReadLimits) => ReadContent | Promise<ReadContent>;

const readers: Readonly<Record<string, Reader>> = {
  ".txt": readPlainText,
  ".md": readMarkdown,
  ".markdown": readMarkdown,
  ".html": readHtml,
  ".htm": readHtml,
  ".pdf": readPdf,
  ".docx": readDocx,
  ".csv": (bytes, limits) => readCsv(bytes, ",", limits),
  ".tsv": (bytes, limits) => readCsv(bytes, "\t", limits),
  ".jsonl": readJsonLines,
};

/** The file name extensions of all readable formats. */
export const knownEndings: readonly string[] = Object.keys(readers);

/**
 * Reads the text of a document. Headings, lists, tables and code of HTML and DOCX become Markdown. Throws a `TroupeError` with
 * a readable message for a document that cannot be read, is beyond a limit, or needs a parser that is not installed.
 */
export async function readDocument(
  bytes: Uint8Array,
  { name }: DocumentInfo,
  options: ReadOptions = {},
): Promise<ReadContent> {
  const limits = readOptions(readOptionTable, options, { owner: "readDocument" });
  if (!(bytes instanceof Uint8Array)) throw wrongOption("bytes", "a Uint8Array", bytes);
  if (typeof name !== "string") throw wrongOption("name", "a string", name);
  const reader = readers[extname(name).toLowerCase()];
  if (reader === undefined) {
    const message = `The format of ${JSON.stringify(basename(name).slice(-64))} is not known. Expected a name that ends in ${knownEndings.join(", ")}.`;
    throw new TroupeError("invalid_value", message);
  }
  checkSize(bytes.length, limits);
  return await reader(bytes, limits);
}

/** Throws for a document that is too large. */
export function checkSize(size: number, { maxBytes }: Pick<ReadLimits, "maxBytes">): void {
  if (size <= maxBytes) return;
  throw new TroupeError("invalid_value", `The document has ${size} bytes, expected at most ${maxBytes} (maxBytes).`);
}
