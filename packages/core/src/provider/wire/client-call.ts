import { readProperty } from "../../base/util/read-property.ts";
import { WholeAnswer } from "./stream-events.ts";
import type { EventBatch } from "./stream-events.ts";

/** Calls a method of the client of a vendor's SDK, with the signal that ends its request. */
export type ClientMethod = (signal: AbortSignal) => PromiseLike<unknown>;

/** Limits of a call of a client, and the function that converts its errors. */
export type ClientLimits = {
  /** Ends the call, even if the client ignores its signal. */
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait for the answer, or for a stream to begin. After that the call ends as a timeout. */
  timeoutMs: number;
  /** Milliseconds to wait for each event of a stream. @default `timeoutMs` */
  idleTimeoutMs?: number | undefined;
  /** Converts an error that the vendor's client throws. @default the error is unchanged */
  toError?: ((thrown: unknown) => unknown) | undefined;
};

/** Calls a method of a client whose result is a whole answer. */
export async function callClient(ask: ClientMethod, limits: ClientLimits): Promise<unknown> {
  const call = new ClientCall<never>(limits);
  try {
    return await call.ask(ask);
  } finally {
    call.close();
  }
}

/**
 * Calls a client method whose result is a stream, and returns its events in batches of one. If the reader leaves early,
 * the signal ends the request: closing the stream would not end it if an instrumentation reads the stream too. A result
 * that is not a stream is a `WholeAnswer`.
 */
export async function openSdkStream<Event>(
  ask: ClientMethod,
  limits: ClientLimits,
): Promise<AsyncIterableIterator<EventBatch<Event>>> {
  const call = new ClientCall<Event>(limits);
  try {
    call.readFrom(await call.ask(ask));
    return call;
  } catch (error) {
    call.close();
    throw error;
  }
}

type NextBatch<Event> = IteratorResult<EventBatch<Event>, undefined>;
type BatchWaiter = { resolve: (value: never) => void; reject: (reason: unknown) => void };

/**
 * One request of a client. Written by hand, because neither the abort nor the timeout may wait for the client's own
 * promises.
 */
class ClientCall<Event> implements AsyncIterableIterator<EventBatch<Event>, undefined> {
  readonly #limits: ClientLimits;
  readonly #leave = new AbortController();
  #silence: NodeJS.Timeout;
  #events: AsyncIterator<Event> | undefined;
  #result: unknown;
  #waiter: BatchWaiter | undefined;
  #failure: { reason: unknown } | undefined;
  #isOver = false;

  constructor(limits: ClientLimits) {
    this.#limits = limits;
    limits.signal?.addEventListener("abort", this.#abort, { once: true });
    this.#silence = setTimeout(this.#stall, limits.timeoutMs);
    if (limits.signal?.aborted) this.#abort();
  }

  /** Calls the client's method. A result that arrives after the call has failed is closed. */
  ask(method: ClientMethod): Promise<unknown> {
    return this.#wait(async () => await method(this.#leave.signal)).then((result) => {
      this.#result = result;
      return result;
    });
  }

  /** Reads the events of a stream, or the whole answer that arrived instead of a stream. */
  readFrom(result: unknown): void {
    const { timeoutMs, idleTimeoutMs = timeoutMs } = this.#limits;
    if (idleTimeoutMs !== timeoutMs) {
      clearTimeout(this.#silence);
      this.#silence = setTimeout(this.#stall, idleTimeoutMs);
    }
    const iterate = readProperty(result, Symbol.asyncIterator);
    this.#events = typeof iterate === "function" ? (iterate.call(result) as AsyncIterator<Event>) : onlyAnswer(result);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<NextBatch<Event>> {
    const events = this.#events;
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    if (this.#isOver || events === undefined) return Promise.resolve({ done: true, value: undefined });
    return this.#wait(() => events.next(), this.#toStep);
  }

  return(): Promise<NextBatch<Event>> {
    if (!this.#isOver) {
      this.close();
      this.#leaveRequest();
      this.#waiter?.resolve({ done: true, value: undefined } as never);
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Releases the signal and the timer of the client call. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#silence);
    this.#limits.signal?.removeEventListener("abort", this.#abort);
  }

  readonly #toStep = (step: IteratorResult<Event, unknown>): NextBatch<Event> => {
    if (step.done === true) {
      this.close();
      return { done: true, value: undefined };
    }
    const { value } = step;
    return { done: false, value: typeof value === "object" && value !== null ? [value] : [] };
  };

  /** Waits for a promise of the client, at most until the call fails. */
  #wait<Given, Result = Given>(work: () => Promise<Given>, convert?: (given: Given) => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure.reason);
        return;
      }
      this.#waiter = { resolve, reject };
      this.#silence.refresh();
      const settle = (given: Given) => {
        if (this.#isOver) endResult(given);
        this.#waiter = undefined;
        resolve(convert === undefined ? (given as unknown as Result) : convert(given));
      };
      work().then(settle, (thrown: unknown) => this.#fail(this.#limits.toError?.(thrown) ?? thrown));
    });
  }

  readonly #abort = (): void => this.#fail(this.#limits.signal?.reason);

  readonly #stall = (): void => {
    const waiter = this.#waiter;
    // Before a timeout, a busy process first reads the events that have already arrived.
    setImmediate(() => {
      // Only the time in which a read of the stream waits is counted, not the time that the reader takes between two
      // reads.
      if (waiter !== undefined && waiter === this.#waiter) this.#failSilent();
    });
  };

  #failSilent(): void {
    this.#fail(Object.assign(new Error("The client was silent for too long."), { code: "ETIMEDOUT" }));
  }

  #fail(reason: unknown): void {
    if (this.#isOver) return;
    this.close();
    this.#failure = { reason };
    // The request is ended even after an error of the client: some clients do not close a stream that was not read to
    // its end.
    this.#leaveRequest();
    this.#waiter?.reject(reason);
  }

  /** Ends the request in every way that a vendor's client may support. */
  #leaveRequest(): void {
    this.#leave.abort(this.#failure?.reason);
    endResult(this.#result);
    // The iterator's `return` is not awaited: if the client ignores the signal, `return` would wait for the next event.
    this.#events?.return?.().then(undefined, () => undefined);
  }
}

/**
 * Ends a stream by its own method, if it has one. The stream of Ollama's library accepts no signal, and a copied stream
 * may have lost its signal.
 */
function endResult(result: unknown): void {
  for (const owner of [result, readProperty(result, "controller")]) {
    const abort = readProperty(owner, "abort");
    if (typeof abort === "function") abort.call(owner);
  }
}

/** Returns an iterator over the whole answer that arrived instead of a stream. */
function onlyAnswer(result: unknown): AsyncIterator<never> {
  const answers: WholeAnswer[] = [new WholeAnswer(result)];
  return {
    next: async () => {
      const value = answers.pop();
      return value === undefined ? { done: true, value } : { done: false, value: value as never };
    },
  };
}
