import type { IncomingMessage, ServerResponse } from "node:http";
import { TroupeError } from "@troupe/core";
import { keyHeaders } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { toPublicError } from "@troupe/core/transport";
import type { AuthInfo } from "@modelcontextprotocol/server";

/** A request as Node or Express gives it, with what handlers before this one may have put there. */
export type McpRequest = IncomingMessage & {
  /** The parsed body, where the host has read it already. */
  body?: unknown;
  /** The path before a router was mounted at a part of it. */
  originalUrl?: string;
  /** The user that the host has authenticated: `{ userId, tenantId? }`. */
  principal?: unknown;
  /** The token that the host has verified, for the handlers that `extend` registers: `ctx.http.authInfo`. */
  auth?: AuthInfo;
};

/** Handler of the library: one web request to one web response. */
type FetchHandler = (request: Request, options: { parsedBody?: unknown }) => Promise<Response>;

const keyNames: ReadonlySet<string> = new Set(keyHeaders);

const sessionHeader = "Mcp-Session-Id";

/** The exchange that `answerRequest` carries out: both of its sides, and the limit of the body. */
export type McpExchange = {
  readonly request: McpRequest;
  readonly response: ServerResponse;
  readonly maxBodyBytes: number;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
};

/** The methods that a web request may have, and a client of the protocol sends. */
const methods = new Set(["GET", "POST", "DELETE", "HEAD", "OPTIONS", "PUT", "PATCH"]);

/**
 * Hands a request of Node to a handler of web requests, and sends its response: at the pace of the client, and no longer
 * than the client listens.
 */
export async function answerRequest(exchange: McpExchange, handle: FetchHandler): Promise<void> {
  const { request, response, maxBodyBytes, signal } = exchange;
  const { method = "GET" } = request;
  if (!methods.has(method)) throw new TroupeError("invalid_request", "This method is not supported. Expected POST.");
  const message = method === "POST" ? (request.body ?? parse(await readBody(request, maxBodyBytes))) : undefined;
  // Handlers of the library see this request: keys are not theirs.
  const headers = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
    keyNames.has(name) ? [] : values.map((value): [string, string] => [name, value]),
  );
  const asked = new Request("http://localhost/", { method, headers, signal });
  const reply = await handle(asked, message === undefined ? {} : { parsedBody: message });
  // Where no session is kept, its id, which the client alone knows, finds a call that the client cancels.
  if (isInitialize(message) && reply.ok && !reply.headers.has(sessionHeader)) {
    response.setHeader(sessionHeader, createId());
  }
  await send(reply, response);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    // Not as the cause: the message may quote the body.
    throw new TroupeError("invalid_request", "The body is not valid JSON.");
  }
}

/** Tells if a message asks to open a session, as clients of earlier revisions do. */
export function isInitialize(message: unknown): boolean {
  return typeof message === "object" && message !== null && "method" in message && message.method === "initialize";
}

async function send(reply: Response, response: ServerResponse): Promise<void> {
  if (response.destroyed) return await reply.body?.cancel();
  response.setHeaders(reply.headers).writeHead(reply.status);
  const reader = reply.body?.getReader();
  if (reader === undefined) return void response.end();
  const cancel = (): void => void reader.cancel().catch(() => {});
  response.once("close", cancel);
  // A client that waits for progress wants to know that its call has begun.
  response.flushHeaders();
  for (let piece = await reader.read(); !piece.done && !response.destroyed; piece = await reader.read()) {
    if (!response.write(piece.value)) await drained(response);
  }
  response.off("close", cancel);
  response.end();
}

async function drained(response: ServerResponse): Promise<void> {
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off("drain", go).off("close", go);
      resolve();
    };
    response.on("drain", go).on("close", go);
  });
}

/** Reads the bytes of a body, and stops as soon as there are more than allowed. */
async function readBody(request: McpRequest, maxBytes: number): Promise<Buffer> {
  const tooLong = (): TroupeError => {
    const limit = `The option maxBodyBytes of the server sets this limit.`;
    return new TroupeError("payload_too_large", `The body must have at most ${maxBytes} bytes. ${limit}`);
  };
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLong();
  if (request.readableEnded || request.destroyed) return Buffer.alloc(0);
  return await new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const settle = (error?: TroupeError): void => {
      request.off("data", take).off("end", settle).off("error", leave).off("close", leave);
      if (error === undefined) return resolve(Buffer.concat(pieces, length));
      request.pause();
      reject(error);
    };
    const take = (piece: Buffer | string): void => {
      const bytes = Buffer.from(piece);
      length += bytes.length;
      if (length > maxBytes) settle(tooLong());
      else pieces.push(bytes);
    };
    const leave = (): void => settle(new TroupeError("cancelled", "The client left before the end of the body."));
    request.on("data", take).on("end", settle).on("error", leave).on("close", leave);
  });
}

const statuses: Readonly<Record<string, number>> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  payload_too_large: 413,
  cancelled: 499,
  unavailable: 503,
};

/** Sends an error in place of what the library would answer, as an error of JSON-RPC without a request. */
export function sendRefusal(error: unknown, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const { code, message } = toPublicError(error);
  const status = statuses[code] ?? 500;
  const body = JSON.stringify({
    jsonrpc: "2.0",
    error: { code: status >= 500 ? -32_603 : -32_600, message, data: { code } },
    id: null,
  });
  // What is left of a body that was refused is not read.
  response.writeHead(status, { "Content-Type": "application/json", Connection: "close" }).end(body);
}
