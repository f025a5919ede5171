import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { TroupeError } from "../src/base/errors/troupe-error.ts";
import { createHttpPool, type HttpPoolOptions } from "../src/provider/wire/http-pool.ts";
import type { HttpInit } from "../src/provider/wire/http-sender.ts";
import type { HttpReply } from "../src/provider/wire/http-reply.ts";
import { type LoopbackOptions, serveLoopback } from "./loopback-server.ts";

/** A handler of one request. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

type PooledOptions = HttpPoolOptions & Pick<LoopbackOptions, "tls">;

/** Starts a server and a pool for it, which are closed after the test. */
export async function startPooled(handle: Handle, { tls, ...options }: PooledOptions = {}) {
  const answer: typeof handle = (request, response) => void handle(request, response);
  const server = await serveLoopback(answer, tls === undefined ? {} : { tls });
  const pool = createHttpPool(options);
  onTestFinished(() => pool.close());
  const send = async (to: string, init?: HttpInit): Promise<HttpReply> => await pool.send(to, init);
  return { server, pool, send, url: server.url };
}

/** Body of the response of `echo`. */
export type Echo = { method: string; url: string; headers: Record<string, string>; body: string };

/** Responds with the request as JSON. */
export function echo(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
}

/** Sends one piece and then nothing until the client leaves. */
export function stall(_: IncomingMessage, response: ServerResponse): void {
  response.write("first");
}

/** Reads a reply as text, and waits until its connection is idle. */
export async function readText(response: HttpReply | Promise<HttpReply>): Promise<string> {
  const text = await (await response).text();
  await nextTurn();
  return text;
}

/** Reads the reply of `echo`. */
export async function readEcho(response: HttpReply | Promise<HttpReply>): Promise<Echo> {
  return JSON.parse(await (await response).text()) as Echo;
}

/** Returns the `TroupeError` of a rejected promise. */
export async function failure(promise: Promise<unknown>): Promise<TroupeError> {
  const outcome = await promise.then(
    () => new Error("it succeeded"),
    (reason: unknown) => reason,
  );
  if (TroupeError.is(outcome)) return outcome;
  throw outcome;
}

/** Returns the network error code, where providers look for it. */
export function codeOf(error: TroupeError): string | undefined {
  return (error.cause as NodeJS.ErrnoException).code;
}
