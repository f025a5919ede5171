import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { TroupeError } from "@troupe/core";
import { missingParser } from "./load-parser.ts";
import type { PdfAnswer, PdfJob } from "./pdf-worker.ts";
import type { ReadContent } from "./read-content.ts";
import type { ReadLimits } from "./read-options.ts";
import { withTitle } from "./read-text.ts";

/**
 * The memory of the thread that reads a PDF, in megabytes. A hostile file can only crash the thread, not the process.
 */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32 };

/** The file of the worker thread: TypeScript in the repository, JavaScript in the package. */
const file = new URL(import.meta.url.endsWith(".ts") ? "./pdf-worker.ts" : "./pdf-worker.js", import.meta.url);

/** Reads the text of a PDF in a worker thread, with the position of each page. */
export async function readPdf(bytes: Uint8Array, { maxPages, timeoutMs }: ReadLimits): Promise<ReadContent> {
  // The bytes are copied before they are transferred, because they may be part of a larger buffer.
  const copy = Uint8Array.from(bytes);
  const job: PdfJob = { bytes: copy, maxPages };
  const worker = new Worker(file, { workerData: job, transferList: [copy.buffer], resourceLimits, stderr: true });
  try {
    return toContent(await answerOf(worker, timeoutMs), maxPages);
  } finally {
    await worker.terminate();
  }
}

async function answerOf(worker: Worker, timeoutMs: number): Promise<PdfAnswer> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    // An `error` event of the thread rejects this promise.
    const [answer] = (await Promise.race([once(worker, "message", { signal }), exitOf(worker)])) as [PdfAnswer];
    return answer;
  } catch (cause) {
    if (TroupeError.is(cause)) throw cause;
    if (signal.aborted) throw refusal(`took longer than ${timeoutMs} ms to read (timeoutMs)`);
    const isMemory = (cause as { code?: unknown }).code === "ERR_WORKER_OUT_OF_MEMORY";
    throw refusal(isMemory ? "needs too much memory" : "cannot be read", cause);
  }
}

async function exitOf(worker: Worker): Promise<never> {
  await once(worker, "exit");
  throw refusal("cannot be read");
}

function toContent(answer: PdfAnswer, maxPages: number): ReadContent {
  if ("pages" in answer) return joinPages(answer);
  switch (answer.problem) {
    case "no-parser":
      throw missingParser("PDF", "unpdf");
    case "too-many-pages":
      throw refusal(`has ${answer.count} pages, expected at most ${maxPages} (maxPages)`);
    case "password":
      throw refusal("needs a password");
    default:
      throw refusal("cannot be read");
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

function refusal(problem: string, cause?: unknown): TroupeError {
  return new TroupeError("invalid_value", `The PDF ${problem}.`, { cause });
}
