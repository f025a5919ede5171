import { TroupeError } from "../../base/errors/troupe-error.ts";
import { refuseRedirect, isRedirect } from "./http-pool.ts";
import type { HttpInit } from "./http-pool.ts";
import { isPiecewise, joinBody } from "./json-body.ts";
import { readBodyText } from "./http-reply.ts";
import type { HttpReply, ReplyBytes } from "./http-reply.ts";

/** Function that sends HTTP requests in place of our pool, such as the built-in `fetch` or one that an instrumentation wrapped. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

/** Timeouts of requests that name none, in milliseconds. */
const defaultTimeoutMs = 60_000;

/**
 * Sends a request by a `fetch` of the user, and bounds the waits for its reply as the pool does. A redirect is refused like the
 * pool's.
 */
export async function sendByFetch(send: FetchFunction, url: string, init: HttpInit = {}): Promise<HttpReply> {
  const { headersTimeoutMs = defaultTimeoutMs, idleTimeoutMs = defaultTimeoutMs, signal, body = null, ...rest } = init;
  // One array, because a `fetch` of the user need not take pieces.
  const whole = isPiecewise(body) ? await joinBody(body) : body;
  const wait = new Wait(signal);
  wait.begin(headersTimeoutMs);
  try {
    const options = { ...rest, headers: { ...rest.headers }, method: rest.method ?? "GET" };
    const sent = {
      ...options,
      body: whole as RequestInit["body"] & (string | null),
      signal: wait.signal,
      redirect: "manual" as const,
    };
    const reply = await wait.race(send(url, sent));
    const bytes = new FetchedBytes(reply.body, wait, idleTimeoutMs);
    if (isRedirect(reply.status)) return await refuseRedirect(reply.status, bytes);
    return { status: reply.status, headers: reply.headers, bytes, text: () => readBodyText(bytes) };
  } catch (error) {
    wait.end();
    throw error;
  }
}

/** The signal of one request: aborted with the user's signal, and when a wait takes too long. */
class Wait {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #aborted = Promise.withResolvers<never>();
  #timer: NodeJS.Timeout | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    // It may abort while nothing waits.
    this.#aborted.promise.catch(() => undefined);
    if (outer?.aborted) this.#follow();
    else outer?.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts a wait, which ends with `timeout` after so many milliseconds. */
  begin(timeoutMs: number): void {
    this.#timer = setTimeout(() => this.abort(tooLate()), timeoutMs);
  }

  /** Stops the clock while nothing is waited for. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Waits for a result, but not beyond an abort: a `fetch` of the user may ignore its signal. */
  race<Result>(work: Promise<Result>): Promise<Result> {
    return Promise.race([work, this.#aborted.promise]).finally(() => this.pause());
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
    this.#aborted.reject(this.signal.reason);
  }

  end(): void {
    this.pause();
    this.#outer?.removeEventListener("abort", this.#follow);
  }

  readonly #follow = (): void => this.abort(this.#outer?.reason);
}

function tooLate(): TroupeError {
  const cause = Object.assign(new Error("The server was silent for too long."), { code: "ETIMEDOUT" });
  return new TroupeError("timeout", "The server was silent for too long. The cause tells at what point.", { cause });
}

/** Body of a fetched reply. */
class FetchedBytes implements ReplyBytes {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #wait: Wait;
  readonly #idleTimeoutMs: number;

  constructor(body: ReadableStream<Uint8Array> | null, wait: Wait, idleTimeoutMs: number) {
    this.#reader = body?.getReader();
    this.#wait = wait;
    this.#idleTimeoutMs = idleTimeoutMs;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#reader === undefined) return await this.#end();
    this.#wait.begin(this.#idleTimeoutMs);
    try {
      const { done, value } = await this.#wait.race(this.#reader.read());
      return done ? await this.#end() : { done: false, value };
    } catch (error) {
      this.#wait.end();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    // Not awaited: a body that never ends need not answer.
    this.#reader?.cancel().catch(() => undefined);
    this.#wait.abort(new DOMException("The reply was left unread.", "AbortError"));
    return await this.#end();
  }

  async #end(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#wait.end();
    return { done: true, value: undefined };
  }
}
