import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { rawResultOf } from "./slim-message.ts";
import type { RawResult } from "./slim-message.ts";

/** The time limit and signal of a request. */
export type AskServerOptions = Pick<RequestOptions, "signal" | "timeout">;

/** A page that a server said comes next may not be more than these away: a list that does not end is given up. */
const mostPages = 64;

/** Sends a request and returns the server's result as it came. */
export async function askServer(
  client: Client,
  { method, params }: { method: string; params?: Record<string, unknown> },
  options: AskServerOptions,
): Promise<RawResult> {
  const request = { method, ...(params !== undefined && { params }) };
  return rawResultOf((await client.request(request, anyResult, options)) as object);
}

/** Passes results on unchecked: their readers check what they read. */
const anyResult = {
  "~standard": { version: 1 as const, vendor: "troupe", validate: (value: unknown) => ({ value }) },
};

/**
 * Yields the items of a list page by page. The event loop gets its turn between the arrival of a page and its reading.
 * Ends with an error after `mostPages`, and for a page that is no list.
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

/** An answer that does not have the form of the protocol, or is larger than it may be. The message completes a sentence. */
export class BadAnswer extends Error {
  override readonly name = "BadAnswer";
}

/** Lets the event loop do other work first. */
export async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
