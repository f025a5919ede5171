import type * as unpdf from "unpdf";
import { isMainThread, parentPort, workerData } from "node:worker_threads";

/** A request to the worker thread: the bytes of a PDF, and the maximum number of pages. */
export type PdfJob = { readonly bytes: Uint8Array<ArrayBuffer>; readonly maxPages: number };

/** The answer of the worker thread: the texts of the pages, or the problem with the PDF. */
export type PdfAnswer =
  | { readonly pages: readonly string[]; readonly title: string }
  | { readonly problem: "no-parser" | "password" | "broken" }
  | { readonly problem: "too-many-pages"; readonly count: number };

/** A piece of text on a page. The last entries of `transform` are its position. */
type TextItem = { str: string; hasEOL: boolean; height: number; transform: number[] };

/** The part of the library `unpdf` that this file uses. */
type Parser = Pick<typeof unpdf, "getDocumentProxy">;

/** Reads the text of a PDF page by page. */
async function readPages({ getDocumentProxy }: Parser, { bytes, maxPages }: PdfJob): Promise<PdfAnswer> {
  // Fonts are not needed for text, and code in a PDF is never run.
  const document = await getDocumentProxy(bytes, { disableFontFace: true, isEvalSupported: false } as object);
  const count = document.numPages;
  if (count > maxPages) return { problem: "too-many-pages", count };
  const pages: string[] = [];
  for (let number = 1; number <= count; number++) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    pages.push(joinItems(items.filter((item): item is typeof item & TextItem => "str" in item)));
    page.cleanup();
  }
  return { pages, title: await titleOf(document) };
}

async function titleOf(document: Awaited<ReturnType<Parser["getDocumentProxy"]>>): Promise<string> {
  const { info } = (await document.getMetadata().catch(() => ({ info: {} }))) as { info: Record<string, unknown> };
  return typeof info["Title"] === "string" ? info["Title"] : "";
}

/**
 * Joins the text pieces of a page to lines. A distance between two lines of more than 2.2 times the text's height,
 * about one and a half lines, starts a paragraph.
 */
function joinItems(items: readonly TextItem[]): string {
  const parts: string[] = [];
  let lastY: number | undefined;
  for (const { str, hasEOL, height, transform } of items) {
    const y = transform[5] ?? 0;
    if (lastY !== undefined && height > 0 && Math.abs(lastY - y) > 2.2 * height) parts.push("\n");
    parts.push(str);
    if (hasEOL) parts.push("\n");
    if (str.trim() !== "") lastY = y;
  }
  return parts
    .join("")
    .replaceAll("\0", "")
    .toWellFormed()
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

async function answer(job: PdfJob): Promise<PdfAnswer> {
  let parser: Parser;
  try {
    parser = await import("unpdf");
  } catch {
    return { problem: "no-parser" };
  }
  try {
    return await readPages(parser, job);
  } catch (error) {
    const isLocked = (error as { name?: unknown } | null)?.name === "PasswordException";
    return { problem: isLocked ? "password" : "broken" };
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port of a thread has no origin
if (!isMainThread) parentPort?.postMessage(await answer(workerData as PdfJob));
