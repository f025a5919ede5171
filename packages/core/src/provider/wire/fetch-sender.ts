import { TroupeError } from "../../base/errors/troupe-error.ts";
import { isRedirect, refuseRedirect } from "./http-sender.ts";
import type { HttpInit } from "./http-sender.ts";
import { isPiecewise, joinBody } from "./json-body.ts";
import { readBodyText } from "./http-reply.ts";
import type { HttpReply, ReplyBody } from "./http-reply.ts";

/**
 * Function that sends HTTP requests instead of Troupe's pool, such as the built-in `fetch` or an instrumented version.
 */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

/** Default timeout for the head of a reply and for its next bytes, in milliseconds. */
const defaultTimeoutMs = 60_000;

/** A request, and the conversion of the errors of its sending and of its reply's body. @default no conversion */
export type FetchInit = HttpInit & { toError?: ((error: unknown) => unknown) | undefined };

/**
 * Sends a request with a `fetch`, and limits the waits for its reply as the pool does. A redirect is rejected as in the
 * pool.
 */
export async function sendByFetch(send: FetchFunction, url: string, init: FetchInit = {}): Promise<HttpReply> {
  const { headersTimeoutMs = defaultTimeoutMs, idleTimeoutMs = defaultTimeoutMs, signal, body = null, ...own } = init;
  const { toError = (error) => error, ...rest } = own;
  // The pieces are joined to one array, because the user's `fetch` may not accept pieces.
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
    const bytes = new FetchedBytes(reply.body, wait, { idleTimeoutMs, toError });
    if (isRedirect(reply.status)) return await refuseRedirect(reply.status, bytes);
    return { status: reply.status, headers: reply.headers, bytes, text: () => readBodyText(bytes) };
  } catch (error) {
    wait.end();
    throw toError(error);
  }
}

/** The signal of one request. It aborts with the user's signal, and when a wait takes too long. */
class Wait {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal | undefined;
  /** Functions that end the waits in progress, with the reason of the signal's abort. */
  readonly #stops = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted) this.#follow();
    else outer?.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts a wait for the server, which ends with `timeout` after this number of milliseconds. */
  begin(timeoutMs: number): void {
    this.#timer = setTimeout(() => this.abort(tooLate()), timeoutMs);
  }

  /** Stops the timer between two waits for the server. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Waits for a result, at most until an abort: the user's `fetch` may ignore its signal. */
  race<Result>(work: Promise<Result>): Promise<Result> {
    // Written without `Promise.race`: a promise for the abort would keep the result of each race, so that every chunk
    // of the body would stay in memory.
    return new Promise<Result>((resolve, reject) => {
      const stop = (): void => reject(this.signal.reason);
      const forget = (): void => {
        this.#stops.delete(stop);
        this.pause();
      };
      this.#stops.add(stop);
      if (this.signal.aborted) stop();
      work.then(forget, forget);
      work.then(resolve, reject);
    });
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
    for (const stop of this.#stops) stop();
    this.pause();
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

/** The limit of the waits for a body's bytes, and the conversion of its errors. */
type BodyRules = { readonly idleTimeoutMs: number; readonly toError: (error: unknown) => unknown };

/** Body of a reply from a `fetch`. */
class FetchedBytes implements ReplyBody {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly #wait: Wait;
  readonly #rules: BodyRules;

  constructor(body: ReadableStream<Uint8Array> | null, wait: Wait, rules: BodyRules) {
    this.#reader = body?.getReader();
    this.#wait = wait;
    this.#rules = rules;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#reader === undefined) return await this.#end();
    this.#wait.begin(this.#rules.idleTimeoutMs);
    try {
      const { done, value } = await this.#wait.race(this.#reader.read());
      return done ? await this.#end() : { done: false, value };
    } catch (error) {
      this.#wait.end();
      throw this.#rules.toError(error);
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    // The cancellation of the body is not awaited, because a body that never ends may not answer.
    this.#reader?.cancel().catch(() => undefined);
    this.#wait.abort(new DOMException("The reply was left unread.", "AbortError"));
    return await this.#end();
  }

  async #end(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#wait.end();
    return { done: true, value: undefined };
  }
}
