import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { TroupeError } from "../src/errors/troupe-error.ts";
import { createHttpPool, type HttpPoolOptions } from "../src/wire/http-pool.ts";
import { type LoopbackOptions, serveLoopback } from "./loopback-server.ts";

/** Answers one request. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => unknown;

type PooledOptions = HttpPoolOptions & Pick<LoopbackOptions, "tls">;

/** A server and a pool that talks to it, until the test is over. */
export async function startPooled(handle: Handle, { tls, ...options }: PooledOptions = {}) {
  const answer: typeof handle = (request, response) => void handle(request, response);
  const server = await serveLoopback(answer, tls === undefined ? {} : { tls });
  const pool = createHttpPool(options);
  onTestFinished(() => pool.close());
  return { server, pool, fetch: pool.fetch, url: server.url };
}

/** What `echo` answers. */
export type Echo = { method: string; url: string; headers: Record<string, string>; body: string };

/** Answers with the request itself. */
export function echo(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
}

/** Sends one piece and then nothing, until the client leaves. */
export function stall(_: IncomingMessage, response: ServerResponse): void {
  response.write("first");
}

/** Reads a reply as text, and lets its connection come to rest. */
export async function readText(response: Response | Promise<Response>): Promise<string> {
  const text = await (await response).text();
  await nextTurn();
  return text;
}

/** The error of ours that a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<TroupeError> {
  const outcome = await promise.then(
    () => new Error("it succeeded"),
    (reason: unknown) => reason,
  );
  if (TroupeError.is(outcome)) return outcome;
  throw outcome;
}

/** The network's own code, where providers look for it. */
export function codeOf(error: TroupeError): string | undefined {
  return (error.cause as NodeJS.ErrnoException).code;
}
