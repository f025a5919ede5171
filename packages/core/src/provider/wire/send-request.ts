import type { Dispatcher } from "undici";
import type { UndiciRequest } from "./connection-pool.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { HttpRequest } from "./http-request.ts";
import { ReplyBodyIterator } from "./reply.ts";
import type { RawHeaders, RawReply } from "./reply.ts";

/** Carrier of requests: a pool of connections, or a single one. */
export type Connections = { dispatch(options: UndiciRequest, handler: Dispatcher.DispatchHandler): unknown };

/**
 * Sends a request and waits for the head of its reply; a redirect is a reply like any other. When the signal aborts,
 * the wait or the reading of the body ends at once with the signal's reason, and the connection is closed.
 */
export function sendRequest(request: HttpRequest, connections: Connections): Promise<RawReply> {
  const { url, method, headers, body, signal, headersTimeoutMs, idleTimeoutMs } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const path = `${url.pathname}${url.search}`;
    const times = { headersTimeout: headersTimeoutMs ?? null, bodyTimeout: idleTimeoutMs ?? null };
    // An async iterable is a body for undici, and not in its types.
    const sent = (body ?? null) as UndiciRequest["body"] & (string | null);
    const options = { origin: url.origin, path, method, headers, body: sent, ...times };
    connections.dispatch(options, new Exchange(signal, { resolve, reject }));
  });
}

// Reason for closing a connection after an abort, never passed on. Shared: each would be made and printed with its stack.
const unwanted = new Error("The request was aborted.");

type Waiter = { resolve: (reply: RawReply) => void; reject: (reason: unknown) => void };

/** Handler of one request and its reply, called by the connection. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal | undefined;
  readonly #waiter: Waiter;
  #connection: Dispatcher.DispatchController | undefined;
  #body: ReplyBodyIterator | undefined;

  constructor(signal: AbortSignal | undefined, waiter: Waiter) {
    this.#signal = signal;
    this.#waiter = waiter;
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  onRequestStart(connection: Dispatcher.DispatchController): void {
    this.#connection = connection;
    // Aborted while the connection was opened: nothing has been written yet.
    if (this.#signal?.aborted) this.#abort();
  }

  onResponseStart(connection: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    const isInterim = status < 200;
    if (isInterim) return;
    // Undici keeps them for as long as the body lasts, with the bytes that came with them. We have read what it has made of them.
    connection.rawHeaders = null;
    this.#body = new ReplyBodyIterator(connection, this.#signal);
    this.#waiter.resolve({ status, headers, body: this.#body });
  }

  onResponseData(_connection: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#settle();
    this.#body?.end();
  }

  onResponseError(_connection: Dispatcher.DispatchController | null, error: Error): void {
    this.#settle();
    // The reader got the reason of the abort.
    if (error === unwanted) return;
    const failure = toNetworkError(error);
    this.#body?.fail(failure);
    this.#waiter.reject(failure);
  }

  readonly #abort = (): void => {
    const reason: unknown = this.#signal?.reason;
    this.#body?.abort(reason);
    this.#waiter.reject(reason);
    this.#connection?.abort(unwanted);
  };

  #settle(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
  }
}

/**
 * Makes the error of a request without a reply, or whose reply broke off: `timeout`, `unavailable`, or
 * `invalid_request` when it could not be sent. The cause of the first two has the network's code, like `ECONNRESET`.
 */
export function toNetworkError(cause: Error): TroupeError {
  switch ((cause as NodeJS.ErrnoException).code) {
    case "UND_ERR_INVALID_ARG":
    case "UND_ERR_NOT_SUPPORTED":
      // The cause may quote a key, so it is not passed on.
      return new TroupeError(
        "invalid_request",
        "The HTTP request cannot be sent. Its method must be a token, and its headers printable text.",
      );
    case "UND_ERR_ABORTED":
      return toProxyError(cause);
    case "UND_ERR_PRX_CONN": {
      // What broke the connection to the proxy, where that is known.
      const { cause: inner } = cause;
      return new TroupeError("unavailable", "The connection to the proxy failed. The cause tells how.", {
        cause: inner instanceof Error && "code" in inner ? inner : cause,
      });
    }
    case "UND_ERR_CONNECT_TIMEOUT":
    case "UND_ERR_HEADERS_TIMEOUT":
    case "UND_ERR_BODY_TIMEOUT":
      return new TroupeError("timeout", "The server was silent for too long. The cause tells at what point.", {
        cause,
      });
    default:
      return new TroupeError("unavailable", "The connection to the server failed. The cause tells how.", { cause });
  }
}

/**
 * Makes the error of a proxy that opened no connection, which undici reports like an abort. Another try may help when the proxy
 * could not reach the server, and does not when it refused.
 */
function toProxyError(cause: Error): TroupeError {
  const status = Number(/^Proxy response \((\d+)\)/.exec(cause.message)?.[1]);
  if (!(status < 500)) {
    const told = new Error("The proxy could not reach the server.", { cause });
    if (!Number.isNaN(status)) Object.assign(told, { status });
    return new TroupeError("unavailable", "The proxy opened no connection to the server.", { cause: told });
  }
  const mend = status === 407 ? "Check the user and the password in the proxy's address." : "Check its rules.";
  return new TroupeError("model_failed", `The proxy refused the connection (status ${status}). ${mend}`, { cause });
}
