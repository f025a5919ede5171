import { askThread, refusal } from "./ask-thread.ts";
import { missingParser } from "./load-parser.ts";
import type { PdfAnswer, PdfJob } from "./pdf-worker.ts";
import type { ReadContent } from "./read-content.ts";
import type { ReadLimits } from "./read-options.ts";
import { withTitle } from "./read-text.ts";

const kind = "PDF";

/** The file of the worker thread: TypeScript in the repository, JavaScript in the package. */
const file = new URL(import.meta.url.endsWith(".ts") ? "./pdf-worker.ts" : "./pdf-worker.js", import.meta.url);

/** Reads the text of a PDF in a worker thread, with the position of each page. */
export async function readPdf(bytes: Uint8Array, { maxPages, timeoutMs }: ReadLimits): Promise<ReadContent> {
  const job: PdfJob = { bytes: Uint8Array.from(bytes), maxPages };
  const answer = await askThread<PdfAnswer>(job, { file, kind, timeoutMs });
  return toContent(answer, maxPages);
}

function toContent(answer: PdfAnswer, maxPages: number): ReadContent {
  if ("pages" in answer) return joinPages(answer);
  switch (answer.problem) {
    case "no-parser":
      throw missingParser("PDF", "unpdf");
    case "too-many-pages":
      throw refusal(kind, `has ${answer.count} pages, expected at most ${maxPages} (maxPages)`);
    case "password":
      throw refusal(kind, "needs a password");
    default:
      throw refusal(kind, "cannot be read");
  }
}

function joinPages({ pages, title }: Extract<PdfAnswer, { pages: unknown }>): ReadContent {
  const places: { start: number; page: number }[] = [];
  const parts: string[] = [];
  let start = 0;
  for (const [index, page] of pages.entries()) {
    if (page === "") continue;
    places.push({ start, page: index + 1 });
    const part = `${page}\n\n`;
    parts.push(part);
    start += part.length;
  }
  return { ...withTitle(parts.join(""), title), places };
}
