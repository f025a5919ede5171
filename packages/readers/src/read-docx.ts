import { askThread, refusal } from "./ask-thread.ts";
import type { DocxAnswer, DocxJob } from "./docx-worker.ts";
import { missingParser } from "./load-parser.ts";
import type { ReadContent } from "./read-content.ts";
import { htmlToMarkdown } from "./read-html.ts";
import type { ReadLimits } from "./read-options.ts";
import { withTitle } from "./read-text.ts";

const kind = "DOCX document";

/** The file of the worker thread: TypeScript in the repository, JavaScript in the package. */
const file = new URL(import.meta.url.endsWith(".ts") ? "./docx-worker.ts" : "./docx-worker.js", import.meta.url);

/**
 * Reads the text of a DOCX document as Markdown, in a worker thread. The document may unpack to twice the bytes of the
 * limit for documents.
 */
export async function readDocx(bytes: Uint8Array, { maxBytes, timeoutMs }: ReadLimits): Promise<ReadContent> {
  const job: DocxJob = { bytes: Uint8Array.from(bytes), maxUnpacked: 2 * maxBytes };
  const answer = await askThread<DocxAnswer>(job, { file, kind, timeoutMs });
  if ("problem" in answer) throw toError(answer.problem, job);
  const { content } = await htmlToMarkdown(answer.html, { format: "DOCX", kind, timeoutMs });
  const heading = /^# (.+)$/m.exec(content.slice(0, 10_000))?.[1];
  return withTitle(content, answer.title.trim() === "" ? heading : answer.title);
}

function toError(problem: Extract<DocxAnswer, { problem: unknown }>["problem"], { maxUnpacked }: DocxJob): Error {
  switch (problem) {
    case "no-parser":
      return missingParser("DOCX", "mammoth");
    case "too-large":
      return refusal(kind, `unpacks to more than ${maxUnpacked} bytes, twice the limit (maxBytes)`);
    case "other-format":
      return refusal(kind, "has a password, or is in the older format DOC");
    default:
      return refusal(kind, "cannot be read");
  }
}
