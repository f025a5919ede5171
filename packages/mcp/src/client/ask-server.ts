import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { rawResultOf } from "./slim-message.ts";
import type { RawResult } from "./slim-message.ts";

/** The time limit and signal of a request to an MCP server. */
export type AskServerOptions = Pick<RequestOptions, "signal" | "timeout">;

/**
 * Largest number of pages of an MCP server's list. A longer list is given up, because a faulty server may never end it.
 */
const mostPages = 64;

/** Sends a request to an MCP server and returns its result without checking it. */
export async function askServer(
  client: Client,
  { method, params }: { method: string; params?: Record<string, unknown> },
  options: AskServerOptions,
): Promise<RawResult> {
  const request = { method, ...(params !== undefined && { params }) };
  return rawResultOf((await client.request(request, anyResult, options)) as object);
}

/** A result schema that accepts everything: the readers of results check the fields that they read. */
const anyResult = {
  "~standard": { version: 1 as const, vendor: "troupe", validate: (value: unknown) => ({ value }) },
};

/**
 * Yields the items of an MCP server's list page by page. The event loop runs other work before each page is read.
 * Throws after `mostPages`, and for a malformed page.
 */
export async function* listPages(
  client: Client,
  { method, field }: { method: string; field: string },
  options: AskServerOptions,
): AsyncGenerator<readonly unknown[], void> {
  let cursor: string | undefined;
  for (let page = 1; page <= mostPages; page++) {
    const result = await askServer(client, { method, ...(cursor !== undefined && { params: { cursor } }) }, options);
    await nextTurn();
    const { [field]: items, nextCursor } = result;
    if (!Array.isArray(items)) throw new BadAnswer(`it has no array ${field}`);
    yield items;
    if (nextCursor === undefined || nextCursor === null) return;
    if (typeof nextCursor !== "string") throw new BadAnswer("its nextCursor is no string");
    if (nextCursor === cursor) return;
    cursor = nextCursor;
  }
  throw new BadAnswer(`it has more than ${mostPages} pages`);
}

/**
 * Thrown for an answer of an MCP server that breaks the protocol or is too large. The message names the fault, such as
 * `it has no array tools`, and becomes a part of the error that the caller receives.
 */
export class BadAnswer extends Error {
  override readonly name = "BadAnswer";
}

/** Resolves after the event loop has run other work. */
export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
