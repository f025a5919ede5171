import type { Writable } from "node:stream";
import { TroupeError } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { isKeyHeader, httpStatusOfCode, toPublicError } from "@troupe/core/transport";
import type { AnswerHeaders, Exchange } from "@troupe/core/transport";

/** A handler of the library: takes a web request and returns a web response. */
type FetchHandler = (request: Request, options: { parsedBody?: unknown }) => Promise<Response>;

/**
 * Rules for the request of an exchange: its largest body, and a signal that aborts when the client has disconnected.
 */
export type AnswerRules = { readonly maxBodyBytes: number; readonly signal: AbortSignal };

/** Largest message in bytes, unless the service has a limit. */
export const defaultMessageBytes = 1_048_576;

const sessionHeader = "Mcp-Session-Id";

/** HTTP methods that a web `Request` can have. Requests with other methods, such as TRACE, are refused. */
const methods = new Set(["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"]);

/**
 * Hands the request of an exchange to a handler of web requests and sends its response, no faster than the client
 * reads, until the client disconnects.
 */
export async function answerRequest(exchange: Exchange, rules: AnswerRules, handle: FetchHandler): Promise<void> {
  const { method } = exchange;
  if (!methods.has(method)) throw new TroupeError("invalid_request", "This method is not supported. Expected POST.");
  const message = method === "POST" ? await readMessage(exchange, rules.maxBodyBytes) : undefined;
  // The headers with API keys are removed, because handlers of the library must not see keys.
  const headers = Object.entries(exchange.headers).flatMap(([name, values = []]) =>
    isKeyHeader(name) ? [] : [values].flat().map((value): [string, string] => [name, value]),
  );
  const asked = new Request("http://localhost/", { method, headers, signal: rules.signal });
  const reply = await handle(asked, message === undefined ? {} : { parsedBody: message });
  // Without stored sessions, the session id still identifies the call that a client cancels: only this client has the
  // id.
  if (isInitialize(message) && reply.ok && !reply.headers.has(sessionHeader) && !exchange.isDestroyed) {
    exchange.setHeader(sessionHeader, createId());
  }
  await send(reply, exchange);
}

/** Reads the message in the body, unless the host has already parsed it. */
async function readMessage(exchange: Exchange, maxBytes: number): Promise<unknown> {
  const { parsedBody } = exchange;
  if (typeof parsedBody === "object" && parsedBody !== null && !Buffer.isBuffer(parsedBody)) return parsedBody;
  const bytes = await exchange.readBytes({ maxBytes, types: "any" });
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    // The parse error is not the cause, because its message may quote the body.
    throw new TroupeError("invalid_request", "The body is not valid JSON.");
  }
}

/** Returns true if a message asks to open a session, as clients of earlier revisions do. */
export function isInitialize(message: unknown): boolean {
  return typeof message === "object" && message !== null && "method" in message && message.method === "initialize";
}

async function send({ status, headers, body }: Response, exchange: Exchange): Promise<void> {
  if (exchange.isDestroyed) return await body?.cancel();
  const sent: AnswerHeaders = Object.fromEntries(headers);
  if (body === null) return exchange.send(status, sent);
  const stream = exchange.openStream(status, sent);
  // A client that waits for progress needs to know that its call has begun.
  exchange.flushHead();
  await pipe(body, stream);
}

async function pipe(body: ReadableStream<Uint8Array>, stream: Writable): Promise<void> {
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel().catch(() => {});
  stream.once("close", cancel);
  for (let piece = await reader.read(); !piece.done && !stream.destroyed; piece = await reader.read()) {
    if (!stream.write(piece.value)) await drained(stream);
  }
  stream.off("close", cancel);
  stream.end();
}

async function drained(stream: Writable): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = (): void => {
      stream.off("drain", go).off("close", go);
      resolve();
    };
    stream.on("drain", go).on("close", go);
  });
}

/** Sends an error instead of the library's answer, as a JSON-RPC error without a request id. */
export function sendRefusal(error: unknown, exchange: Exchange): void {
  if (exchange.isHeadSent || exchange.isDestroyed) return exchange.destroy();
  const { code, message } = toPublicError(error);
  const status = httpStatusOfCode(code);
  const body = JSON.stringify({
    jsonrpc: "2.0",
    error: { code: status >= 500 ? -32_603 : -32_600, message, data: { code } },
    id: null,
  });
  // The connection is closed, so that the rest of a refused body is not read.
  exchange.setHeader("Connection", "close");
  exchange.refuse(status, { "Content-Type": "application/json" }, { body, isTooLarge: code === "payload_too_large" });
}
