import { askThread } from "./ask-thread.ts";
import { toMarkdown } from "./html-markdown.ts";
import type { HtmlAnswer, HtmlJob } from "./html-worker.ts";
import { loadParser, missingParser } from "./load-parser.ts";
import type { ReadContent } from "./read-content.ts";
import type { ReadLimits } from "./read-options.ts";
import { decodeText } from "./read-text.ts";

/**
 * The maximum characters of HTML that are read in the thread of the caller, because a start of a thread takes longer.
 * The tree of a hostile document takes hundreds of times the memory of its text.
 */
const mostHere = 100_000;

/** The file of the worker thread: TypeScript in the repository, JavaScript in the package. */
const file = new URL(import.meta.url.endsWith(".ts") ? "./html-worker.ts" : "./html-worker.js", import.meta.url);

/** Reads HTML as Markdown, long HTML in a worker thread. */
export async function readHtml(bytes: Uint8Array, { timeoutMs }: Pick<ReadLimits, "timeoutMs">): Promise<ReadContent> {
  return await htmlToMarkdown(decodeText(bytes), { format: "HTML", kind: "HTML document", timeoutMs });
}

/**
 * Writes HTML as Markdown. `format` is the format of the document, which the error names if the HTML parser is not
 * installed; `kind` is the document in other errors.
 */
export async function htmlToMarkdown(
  html: string,
  { format, kind, timeoutMs }: { format: string; kind: string; timeoutMs: number },
): Promise<ReadContent> {
  if (html.length <= mostHere) {
    return toMarkdown(await loadParser({ format, name: "parse5" }, async () => await import("parse5")), html);
  }
  const job: HtmlJob = { bytes: new TextEncoder().encode(html) };
  const answer = await askThread<HtmlAnswer>(job, { file, kind, timeoutMs });
  if ("problem" in answer) throw missingParser(format, "parse5");
  return answer;
}
