import { PassThrough, Writable } from "node:stream";
import type { ServerResponse } from "node:http";
import { createLogger } from "@troupe/core";
import { NodeExchange } from "@troupe/core/transport";
import type { NodeRequest } from "@troupe/core/transport";
import { vi } from "vitest";

/** A request that the client sends. */
export type Sent = {
  method?: string;
  pieces?: (string | Buffer)[];
  headers?: Record<string, string[]>;
  length?: string;
  body?: unknown;
};

/** A request as Node gives it, whose body comes in these pieces. */
export function requestOf({ method = "POST", pieces = [], headers = {}, length, body }: Sent = {}) {
  const request = new PassThrough();
  for (const piece of pieces) request.write(piece);
  const joined = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(", ")]));
  const named = length === undefined ? {} : { "content-length": length };
  const facts = { method, url: "/", headers: { ...joined, ...named }, body, complete: true };
  return Object.assign(request, facts) as unknown as NodeRequest & PassThrough;
}

/** Makes the exchange of a request and a response. */
export function exchangeOf(request: NodeRequest, response: ServerResponse): NodeExchange {
  return new NodeExchange(request, response, createLogger({ level: "silent" }));
}

/** A response as Node has it, and what was written to it. */
export function startResponse(options: { highWaterMark?: number; isSlow?: boolean } = {}) {
  const { highWaterMark, isSlow } = options;
  const written: string[] = [];
  let go = (): void => {};
  const stream = new Writable({
    ...(highWaterMark !== undefined && { highWaterMark }),
    write: (piece: Buffer, _encoding, done) => {
      written.push(piece.toString());
      if (isSlow) go = done;
      else done();
    },
  });
  const headers: Record<string, string> = {};
  const response = Object.assign(stream, {
    headersSent: false,
    status: 0,
    headers,
    getHeader: (name: string) => headers[name.toLowerCase()],
    // Each exchange has an id of its own, which is not what is tested here.
    setHeader: (name: string, value: string) => {
      if (name !== "X-Request-Id") headers[name.toLowerCase()] = value;
    },
    writeHead: (status: number, given: Record<string, string> = {}) => {
      Object.assign(response, { status, headersSent: true });
      for (const [name, value] of Object.entries(given)) headers[name.toLowerCase()] = value;
      return response;
    },
    flushHeaders: vi.fn<() => void>(),
  });
  return { response, served: response as unknown as ServerResponse, written, go: () => go() };
}
