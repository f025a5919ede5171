import type { Client } from "undici";
import { TroupeError } from "../errors/troupe-error.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { decodeBody } from "./decode-body.ts";
import { loadUndici } from "./load-undici.ts";
import { PooledResponse } from "./pooled-response.ts";
import { positiveInteger } from "./positive-integer.ts";
import { readFetchArguments } from "./read-fetch-arguments.ts";
import { type Reply, type RequestTimes, sendRequest } from "./send-request.ts";

/** How long a pool waits, and what it keeps. */
export type HttpPoolOptions = {
  /** The longest wait for the head of a reply. @default 60_000 */
  headersTimeoutMs?: number;
  /** The longest wait for the next bytes of a reply. @default 60_000 */
  idleTimeoutMs?: number;
  /** How long an idle socket is kept for the next request; a server that says less is believed. @default 30_000 */
  keepAliveMs?: number;
};

/** What `fetch` takes, and how long this one request waits. @default what its pool was made with */
export type PooledRequestInit = RequestInit & RequestTimes;

/** Sockets that are kept for the next request, and a `fetch` that uses them. */
export interface HttpPool {
  /**
   * For a vendor's SDK, or ourselves: `response.body` is an async iterable of the socket's own bytes. It follows no
   * redirect and reads no proxy from the environment. It rejects with the signal's reason, or with a `TroupeError`
   * whose cause holds the network's code. `clone()` is not offered.
   */
  readonly fetch: (input: string | URL | Request, init?: PooledRequestInit) => Promise<Response>;
  /** Closes every socket, also those in use. Calls after `close` are not allowed. */
  close(): Promise<void>;
}

/** Makes a pool. Nothing is loaded before its first request, and idle sockets do not keep the process alive. */
export function createHttpPool(options: HttpPoolOptions = {}): HttpPool {
  const clientOptions = toClientOptions(options);
  let pool: Promise<ConnectionPool> | undefined;
  let isClosed = false;

  const pooledFetch = async (input: string | URL | Request, init?: PooledRequestInit): Promise<PooledResponse> => {
    if (isClosed) throw new TroupeError("unavailable", "The HTTP pool is closed: make a new one.");
    const request = await readFetchArguments(input, init);
    pool ??= openPool(clientOptions);
    const reply = await sendRequest(request, await pool);
    await refuseRedirect(reply);
    return new PooledResponse({ ...reply, url: request.url.href, body: await decodeBody(reply.headers, reply.body) });
  };

  return {
    // The cast stands for what `PooledResponse` leaves out: `clone`, and web streams until they are asked for.
    fetch: pooledFetch as unknown as HttpPool["fetch"],
    close: async () => {
      isClosed = true;
      await (await pool)?.destroy();
    },
  };
}

async function openPool(options: Client.Options): Promise<ConnectionPool> {
  const { buildConnector, Client: UndiciClient } = await loadUndici();
  // One for all: it remembers the TLS sessions of each server.
  const connect = buildConnector({ allowH2: false });
  return new ConnectionPool((origin) => new UndiciClient(origin, { ...options, connect }));
}

function toClientOptions({
  headersTimeoutMs = 60_000,
  idleTimeoutMs = 60_000,
  keepAliveMs = 30_000,
}: HttpPoolOptions): Client.Options {
  return {
    headersTimeout: positiveInteger("headersTimeoutMs", headersTimeoutMs),
    bodyTimeout: positiveInteger("idleTimeoutMs", idleTimeoutMs),
    keepAliveTimeout: positiveInteger("keepAliveMs", keepAliveMs),
    keepAliveMaxTimeout: keepAliveMs,
    // One request a connection: ending a request early then ends nothing else.
    allowH2: false,
  };
}

/** A redirect would carry keys and prompts to a host that nobody configured. */
async function refuseRedirect({ status, body }: Reply): Promise<void> {
  if (status < 300 || status > 399 || status === 304) return;
  await body.return();
  throw new TroupeError(
    "model_failed",
    "The server answered with a redirect, which is not followed: set baseURL to the address that it redirects to.",
    { fields: { status } },
  );
}
