import { Readable } from "node:stream";
import type { Exchange } from "@troupe/core/transport";
import { FakeResponse } from "./fake-response.ts";

/** A request as a handler gets it. `body` is what the host has parsed; `sent` are the bytes that still come. */
type MadeRequest = {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly sent?: readonly (Buffer | string)[];
};

/** Makes the exchange of a request without a server. */
export function httpExchange({
  method = "POST",
  url = "/",
  headers = {},
  body,
  sent = [],
}: MadeRequest = {}): Exchange {
  const stream = Readable.from(sent.map((piece) => Buffer.from(piece as string)));
  return exchangeOf(Object.assign(stream, { method, url, headers, ...(body !== undefined && { body }) }));
}

/** Makes the exchange of a request that is a stream, with its fields, without a server. */
export function exchangeOf(request: Readable & { readonly headers: object }): Exchange {
  return new FakeResponse().exchange(request);
}
