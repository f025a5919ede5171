import type { Client } from "undici";
import { optional, timeoutOption } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import { decodeBody } from "./decode-body.ts";
import { toHttpReply } from "./http-reply.ts";
import type { HttpReply } from "./http-reply.ts";
import { toHttpRequest } from "./http-request.ts";
import { isRedirect, refuseRedirect } from "./http-sender.ts";
import type { HttpInit, HttpSender } from "./http-sender.ts";
import { openPool } from "./open-pool.ts";
import { sendByPlatform } from "./platform-sender.ts";
import { sendRequest } from "./send-request.ts";
import type { Connections } from "./send-request.ts";

/** Options of `createHttpPool`: two timeouts, and the time for which idle sockets are kept. */
export type HttpPoolOptions = {
  /** Milliseconds to wait for the head of a reply. @default 60_000 */
  headersTimeoutMs?: number;
  /** Milliseconds to wait for the next bytes of a reply. @default 60_000 */
  idleTimeoutMs?: number;
  /**
   * Milliseconds for which an idle socket is kept for the next request, or less if the server asks for less. @default
   * 30_000
   */
  keepAliveMs?: number;
};

/** Sockets that are kept open between requests. The pool reads no proxy from the environment. */
export interface HttpPool extends HttpSender {
  /** Closes every socket, including sockets in use. A request after `close` is `unavailable`. */
  close(): Promise<void>;
}

const optionTable = {
  headersTimeoutMs: optional(timeoutOption, 60_000),
  idleTimeoutMs: optional(timeoutOption, 60_000),
  keepAliveMs: optional(timeoutOption, 30_000),
} satisfies OptionTable<HttpPoolOptions>;

/** The checked options of a pool, with their defaults. */
type PoolTimes = Required<HttpPoolOptions>;

/**
 * Makes a pool of HTTP connections with its own timeouts, for a third party's model provider; Troupe's providers share
 * `sharedHttpPool`. Loads no modules before its first request. Idle sockets do not keep the process alive.
 */
export function createHttpPool(options: HttpPoolOptions = {}): HttpPool {
  const times = readOptions(optionTable, options, { owner: "createHttpPool" });
  let pool: Promise<ConnectionPool | undefined> | undefined;
  let isClosed = false;

  return {
    send: async (url, init) => {
      if (isClosed) throw new TroupeError("unavailable", "The HTTP pool is closed. Make a new one.");
      const connections = await (pool ??= openPool(toClientOptions(times)));
      return connections === undefined
        ? await sendByPlatform(url, { ...times, ...init })
        : await sendOver(connections, url, init);
    },
    close: async () => {
      isClosed = true;
      await (await pool)?.destroy();
    },
  };
}

function toClientOptions({ headersTimeoutMs, idleTimeoutMs, keepAliveMs }: PoolTimes): Client.Options {
  return {
    headersTimeout: headersTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
    // With one request per connection, ending one request early cannot end another.
    allowH2: false,
  };
}

/** Sends a request over undici connections, and returns its reply with the body decoded. */
export async function sendOver(connections: Connections, url: string | URL, init: HttpInit = {}): Promise<HttpReply> {
  const { status, headers, body } = await sendRequest(toHttpRequest(url, init), connections);
  if (isRedirect(status)) return await refuseRedirect(status, body);
  return toHttpReply(status, headers, await decodeBody(headers, body));
}
