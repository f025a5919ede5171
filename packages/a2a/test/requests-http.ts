import { Readable } from "node:stream";
import type { Request } from "express";

/** A request as Express gives it to a handler. `body` is what the host has parsed; `sent` are the bytes that still come. */
type MadeRequest = {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly sent?: readonly (Buffer | string)[];
};

/** Makes a request without a server. */
export function httpRequest({ method = "POST", url = "/", headers = {}, body, sent = [] }: MadeRequest = {}): Request {
  const stream = Readable.from(sent.map((piece) => Buffer.from(piece as string)));
  const path = url.split("?", 1)[0];
  return Object.assign(stream, {
    method,
    url,
    path,
    headers,
    ...(body !== undefined && { body }),
  }) as unknown as Request;
}
