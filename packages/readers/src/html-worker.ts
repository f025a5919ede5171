import type * as parse5 from "parse5";
import { isMainThread, parentPort, workerData } from "node:worker_threads";
import { toMarkdown } from "./html-markdown.ts";
import type { ReadContent } from "./read-content.ts";

/** A request to the worker thread: the bytes of HTML in UTF-8. */
export type HtmlJob = { readonly bytes: Uint8Array<ArrayBuffer> };

/** The answer of the worker thread: the text as Markdown, or the problem with the HTML. */
export type HtmlAnswer = ReadContent | { readonly problem: "no-parser" };

async function answer({ bytes }: HtmlJob): Promise<HtmlAnswer> {
  let parser: Pick<typeof parse5, "parse">;
  try {
    parser = await import("parse5");
  } catch {
    return { problem: "no-parser" };
  }
  return toMarkdown(parser, new TextDecoder().decode(bytes));
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port of a thread has no origin
if (!isMainThread) parentPort?.postMessage(await answer(workerData as HtmlJob));
