import type { Client } from "undici";
import { optional, timeoutMilliseconds } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { ConnectionPool, loadUndici } from "./connection-pool.ts";
import { decodeBody } from "./decode-body.ts";
import { toHttpReply } from "./http-reply.ts";
import type { HttpReply, ReplyBytes } from "./http-reply.ts";
import type { PiecewiseBody } from "./json-body.ts";
import { toHttpRequest, parseUrl } from "./http-request.ts";
import type { RequestTimeouts } from "./http-request.ts";
import { sendRequest } from "./send-request.ts";
import type { Connections } from "./send-request.ts";

/** Options of `createHttpPool`: two timeouts, and the time that idle sockets are kept. */
export type HttpPoolOptions = {
  /** Milliseconds to wait for the head of a reply. @default 60_000 */
  headersTimeoutMs?: number;
  /** Milliseconds to wait for the next bytes of a reply. @default 60_000 */
  idleTimeoutMs?: number;
  /** Milliseconds that an idle socket is kept for the next request, or less if the server says so. @default 30_000 */
  keepAliveMs?: number;
};

/** Method, headers, body, signal and timeouts of one request. @default a GET request without a body */
export type HttpInit = {
  method?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | Uint8Array | PiecewiseBody | undefined;
  signal?: AbortSignal | undefined;
} & RequestTimeouts;

/** Sender of HTTP requests: a pool, or the network of a provider. */
export interface HttpSender {
  /**
   * Sends a request and waits for the head of its reply, of any status but a redirect, which is refused. It rejects with the signal's
   * reason, or with a `TroupeError` whose cause has the network's code.
   */
  send(url: string | URL, init?: HttpInit): Promise<HttpReply>;
}

/** Sockets that are kept open between requests. It reads no proxy from the environment. */
export interface HttpPool extends HttpSender {
  /** Closes every socket, also those in use. A request after `close` is `unavailable`. */
  close(): Promise<void>;
}

const optionTable = {
  headersTimeoutMs: optional(timeoutMilliseconds, 60_000),
  idleTimeoutMs: optional(timeoutMilliseconds, 60_000),
  keepAliveMs: optional(timeoutMilliseconds, 30_000),
} satisfies OptionTable<HttpPoolOptions>;

/**
 * Makes a pool of HTTP connections with timeouts of its own, for a model provider written by a third party; ours share
 * `sharedHttpPool`. Loads nothing before its first request; idle sockets do not keep the process alive.
 */
export function createHttpPool(options: HttpPoolOptions = {}): HttpPool {
  const clientOptions = toClientOptions(options);
  let pool: Promise<ConnectionPool> | undefined;
  let isClosed = false;

  return {
    send: async (url, init) => {
      if (isClosed) throw new TroupeError("unavailable", "The HTTP pool is closed. Make a new one.");
      pool ??= openPool(clientOptions);
      return await sendOver(await pool, url, init);
    },
    close: async () => {
      isClosed = true;
      await (await pool)?.destroy();
    },
  };
}

async function openPool(options: Client.Options): Promise<ConnectionPool> {
  const { buildConnector, Client: UndiciClient } = await loadUndici();
  // Shared by all clients: it keeps the TLS sessions of each server.
  const connect = buildConnector({ allowH2: false });
  return new ConnectionPool((origin) => new UndiciClient(origin, { ...options, connect }));
}

function toClientOptions(options: HttpPoolOptions): Client.Options {
  const { headersTimeoutMs, idleTimeoutMs, keepAliveMs } = readOptions(optionTable, options, {
    owner: "createHttpPool",
  });
  return {
    headersTimeout: headersTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    // With one request per connection, ending a request early ends no other.
    allowH2: false,
  };
}

/** Sends a request over connections of undici, and returns its reply with the body decoded. */
export async function sendOver(
  connections: Connections,
  url: string | URL,
  { method = "GET", ...init }: HttpInit = {},
): Promise<HttpReply> {
  const request = toHttpRequest({ ...init, url: parseUrl(url), method: method.toUpperCase() });
  const { status, headers, body } = await sendRequest(request, connections);
  if (isRedirect(status)) return await refuseRedirect(status, body);
  return toHttpReply(status, headers, await decodeBody(headers, body));
}

/** Tells if a status asks to send the request elsewhere. */
export function isRedirect(status: number): boolean {
  return status >= 300 && status <= 399 && status !== 304;
}

/** Refuses a redirect, which would carry keys and prompts to a host that is not configured. */
export async function refuseRedirect(status: number, body: ReplyBytes): Promise<never> {
  await body.return?.();
  throw new TroupeError(
    "model_failed",
    "The server answered with a redirect, which is not followed. Set baseURL to the address that it redirects to.",
    { fields: { status } },
  );
}
