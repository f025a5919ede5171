import type { Dispatcher } from "undici";
import type { UndiciRequest } from "./connection-pool.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { HttpRequest } from "./http-request.ts";
import { ReplyBodyIterator } from "./reply.ts";
import type { RawHeaders, RawReply } from "./reply.ts";

/** A sender of requests: a pool of connections, or a single connection. */
export type Connections = { dispatch(options: UndiciRequest, handler: Dispatcher.DispatchHandler): unknown };

/**
 * Sends a request and waits for the head of its reply, which may be a redirect. If the signal aborts, waiting or
 * reading ends immediately with the signal's reason, and the connection is closed.
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
    // Undici accepts an async iterable as a body, although its types do not.
    const sent = (body ?? null) as UndiciRequest["body"] & (string | null);
    const options = { origin: url.origin, path, method, headers, body: sent, ...times };
    connections.dispatch(options, new Exchange(signal, { resolve, reject }));
  });
}

// The reason for closing a connection after an abort, which no caller receives. It is shared, because creating an error
// for each abort would format its stack.
const unwanted = new Error("The request was aborted.");

type ReplyWaiter = { resolve: (reply: RawReply) => void; reject: (reason: unknown) => void };

/** Handler of one request and its reply, called by the connection. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal | undefined;
  readonly #waiter: ReplyWaiter;
  #connection: Dispatcher.DispatchController | undefined;
  #body: ReplyBodyIterator | undefined;

  constructor(signal: AbortSignal | undefined, waiter: ReplyWaiter) {
    this.#signal = signal;
    this.#waiter = waiter;
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  onRequestStart(connection: Dispatcher.DispatchController): void {
    this.#connection = connection;
    // The signal aborted while the connection was being opened: the request was not written yet.
    if (this.#signal?.aborted) this.#abort();
  }

  onResponseStart(connection: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    const isInterim = status < 200;
    if (isInterim) return;
    // Undici keeps the raw headers, with the bytes that arrived with them, as long as the body. They are removed here,
    // because the headers have already been parsed.
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
    // After an abort, the reader has already received the signal's reason.
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
 * Makes the error of a request without a reply, or whose reply was interrupted: `timeout`, `unavailable`, or
 * `invalid_request` if it could not be sent. The cause of the first two has the network's code, such as `ECONNRESET`.
 */
export function toNetworkError(cause: Error): TroupeError {
  switch ((cause as NodeJS.ErrnoException).code) {
    case "UND_ERR_INVALID_ARG":
    case "UND_ERR_NOT_SUPPORTED":
      // Undici's error may quote a key, so it is not passed on as the cause.
      return new TroupeError(
        "invalid_request",
        "The HTTP request cannot be sent. Its method must be a token, and its headers printable text.",
      );
    case "UND_ERR_ABORTED":
      return toProxyError(cause);
    case "UND_ERR_PRX_CONN": {
      // The cause of the error is the reason for which the connection to the proxy failed, if known.
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
 * Makes the error for a proxy that opened no connection; undici reports this like an abort. A retry may help if the
 * proxy could not reach the server, but not if the proxy refused.
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
