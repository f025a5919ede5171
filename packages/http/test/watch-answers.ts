import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, onTestFinished } from "vitest";
import { generateOpenAPISpec } from "../src/openapi/generate-open-api-spec.ts";
import { requestRecordOf } from "@troupe/core/transport";
import type { RouterOptions } from "../src/create-agent-router.ts";
import { conformsTo } from "./conforms.ts";
import type { Seen } from "./conforms.ts";

/** The part of a long stream that is checked. */
const mostBytes = 1_000_000;

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/**
 * Makes a middleware that checks all answers of a service under test. When the test is over, every answer must have matched
 * the router's own description. `see` receives each answer.
 */
export function watchAnswers(options: RouterOptions, see: (seen: Seen) => void = () => {}) {
  const check = conformsTo(generateOpenAPISpec(options));
  const problems: string[] = [];
  onTestFinished(() => expect(problems).toEqual([]));
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    // Node keeps the headers given to `writeHead` only beside others.
    response.setHeader("x-seen", "");
    response.removeHeader("x-seen");
    const { method = "GET", headers, url = "/" } = request;
    keepBody(response, (sent, isWhole) => {
      // A HEAD request gets no body.
      const body = method === "HEAD" ? "" : sent;
      const { route, name } = requestRecordOf(response);
      const { statusCode: status } = response;
      const after = new URLSearchParams(/\?(.*)/.exec(url)?.[1]).getAll("after");
      const behind = headers["last-event-id"]?.toString() ?? (after.length === 1 ? after[0] : undefined);
      const seen = {
        method,
        route,
        name,
        status,
        headers: response.getHeaders(),
        body,
        isWhole,
        behind,
      };
      see(seen);
      problems.push(...check(seen));
    });
    next();
  };
}

/** Calls `tell` once with the body: at its end, before the client can see it, or when the client has disconnected. */
function keepBody(response: ServerResponse, tell: (body: string, isWhole: boolean) => void): void {
  const pieces: Buffer[] = [];
  let size = 0;
  const keep = (piece: unknown): void => {
    if (size >= mostBytes || (typeof piece !== "string" && !(piece instanceof Uint8Array))) return;
    const bytes = Buffer.from(piece as string);
    size += bytes.length;
    pieces.push(bytes);
  };
  let isTold = false;
  const tellOnce = (isEnd: boolean): void => {
    if (isTold || !response.headersSent) return;
    isTold = true;
    const encoding = String(response.getHeader("content-encoding") ?? "");
    const isWhole = isEnd && size < mostBytes;
    tell(decode(Buffer.concat(pieces), isWhole ? encoding : "").toString(), isWhole);
  };
  const [write, end] = [response.write.bind(response), response.end.bind(response)];
  response.write = ((...sent: Parameters<typeof write>) => {
    keep(sent[0]);
    return write(...sent);
  }) as typeof write;
  response.end = ((...sent: Parameters<typeof end>) => {
    keep(sent[0]);
    const ended = end(...sent);
    tellOnce(true);
    return ended;
  }) as typeof end;
  response.on("close", () => tellOnce(false));
}

function decode(bytes: Buffer, encoding: string): Buffer {
  return decoders[encoding]?.(bytes) ?? bytes;
}
