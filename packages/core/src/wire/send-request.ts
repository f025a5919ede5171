import type { Dispatcher } from "undici";
import type { RequestOptions } from "./connection-pool.ts";
import { httpFailure } from "./http-failure.ts";
import { ReplyBody } from "./reply-body.ts";
import type { ReplyHeaders } from "./reply-headers.ts";

/** A request as it goes out: nothing is left to work out. */
export type OutgoingRequest = {
  url: URL;
  method: string;
  /** Names and values in turn. */
  headers: string[];
  body?: string | Uint8Array | undefined;
  signal?: AbortSignal | undefined;
} & RequestTimes;

/** How long one request waits; what it does not say is for its pool to decide. */
export type RequestTimes = {
  /** The longest wait for the head of the reply. */
  headersTimeoutMs?: number | undefined;
  /** The longest wait for its next bytes. */
  idleTimeoutMs?: number | undefined;
};

/** The head of a reply, and its bytes as they come. */
export type Reply = { status: number; statusText: string; headers: ReplyHeaders; body: ReplyBody };

/** What carries requests: a pool of connections, or one alone. */
type Connections = { dispatch(options: RequestOptions, handler: Dispatcher.DispatchHandler): unknown };

/**
 * Sends a request and waits for the head of its reply; a redirect is a reply like any other. When the signal aborts,
 * the wait or the reading of the body ends at once with the signal's reason, and the connection is closed.
 */
export function sendRequest(request: OutgoingRequest, connections: Connections): Promise<Reply> {
  const { url, method, headers, body, signal, headersTimeoutMs, idleTimeoutMs } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const path = `${url.pathname}${url.search}`;
    const times = { headersTimeout: headersTimeoutMs ?? null, bodyTimeout: idleTimeoutMs ?? null };
    const options = { origin: url.origin, path, method, headers, body: body ?? null, ...times };
    connections.dispatch(options, new Exchange(signal, { resolve, reject }));
  });
}

/**
 * What a connection is told that is no longer wanted, and nobody else ever hears. One for all: each would be made with its
 * stack, and that be put into words when the socket ends.
 */
const unwanted = new Error("The request was aborted.");

type Waiting = { resolve: (reply: Reply) => void; reject: (reason: unknown) => void };

/** One request and its reply, as the connection reports them. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: Waiting;
  #connection: Dispatcher.DispatchController | undefined;
  #body: ReplyBody | undefined;

  constructor(signal: AbortSignal | undefined, waiting: Waiting) {
    this.#signal = signal;
    this.#waiting = waiting;
    signal?.addEventListener("abort", this.#abort, { once: true });
  }

  onRequestStart(connection: Dispatcher.DispatchController): void {
    this.#connection = connection;
    // Aborted while the connection was being made: nothing has been written yet, and nothing will be.
    if (this.#signal?.aborted) this.#abort();
  }

  // oxlint-disable-next-line max-params -- undici calls it so
  onResponseStart(
    connection: Dispatcher.DispatchController,
    status: number,
    headers: ReplyHeaders,
    statusText = "",
  ): void {
    const isInterim = status < 200;
    if (isInterim) return;
    this.#body = new ReplyBody(connection, this.#signal);
    this.#waiting.resolve({ status, statusText, headers, body: this.#body });
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
    // Whoever aborted has said why.
    if (error === unwanted) return;
    const failure = httpFailure(error);
    this.#body?.fail(failure);
    this.#waiting.reject(failure);
  }

  readonly #abort = (): void => {
    const reason: unknown = this.#signal?.reason;
    this.#body?.abort(reason);
    this.#waiting.reject(reason);
    this.#connection?.abort(unwanted);
  };

  #settle(): void {
    this.#signal?.removeEventListener("abort", this.#abort);
  }
}
