import { readProperty } from "../../base/util/read-property.ts";
import { WholeAnswer } from "./stream-events.ts";
import type { EventBatch } from "./stream-events.ts";

/** Calls a method of the client of a vendor's SDK, with the signal that ends its request. */
export type ClientMethod = (signal: AbortSignal) => PromiseLike<unknown>;

/** Limits of a call of a client, and the function that converts its errors. */
export type ClientLimits = {
  /** Ends the call, also where the client does not heed its signal. */
  signal?: AbortSignal | undefined;
  /** Milliseconds to wait for the answer, or for a stream to begin. Then the call ends as a timeout. */
  timeoutMs: number;
  /** Milliseconds to wait for each event of a stream. @default `timeoutMs` */
  idleTimeoutMs?: number | undefined;
  /** Converts an error that the client throws. @default the error as it is */
  toError?: ((thrown: unknown) => unknown) | undefined;
};

/** Calls a method of a client whose result is a whole answer. */
export async function askClient(ask: ClientMethod, limits: ClientLimits): Promise<unknown> {
  const call = new ClientCall<never>(limits);
  try {
    return await call.ask(ask);
  } finally {
    call.close();
  }
}

/**
 * Calls a method of a client whose result is a stream, and returns its events in batches of one. When the reader leaves early, the
 * signal ends the request: leaving the stream alone does not, where an instrumentation reads it too. A result that is
 * no stream is a `WholeAnswer`.
 */
export async function openClientStream<Event>(
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

type Step<Event> = IteratorResult<EventBatch<Event>, undefined>;
type Waiter = { resolve: (value: never) => void; reject: (reason: unknown) => void };

/** One request of a client. By hand, because neither the signal nor the time may wait for what the client does with its own. */
class ClientCall<Event> implements AsyncIterableIterator<EventBatch<Event>, undefined> {
  readonly #limits: ClientLimits;
  readonly #leave = new AbortController();
  #silence: NodeJS.Timeout;
  #events: AsyncIterator<Event> | undefined;
  #result: unknown;
  #waiter: Waiter | undefined;
  #failure: { reason: unknown } | undefined;
  #isOver = false;

  constructor(limits: ClientLimits) {
    this.#limits = limits;
    limits.signal?.addEventListener("abort", this.#abort, { once: true });
    this.#silence = setTimeout(this.#stall, limits.timeoutMs);
    if (limits.signal?.aborted) this.#abort();
  }

  /** Calls the method. Its result is ended where it comes after the call has failed. */
  ask(method: ClientMethod): Promise<unknown> {
    return this.#wait(async () => await method(this.#leave.signal)).then((result) => {
      this.#result = result;
      return result;
    });
  }

  /** Reads the events of a stream, or the whole answer that came in its place. */
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

  next(): Promise<Step<Event>> {
    const events = this.#events;
    if (this.#failure !== undefined) return Promise.reject(this.#failure.reason);
    if (this.#isOver || events === undefined) return Promise.resolve({ done: true, value: undefined });
    return this.#wait(() => events.next(), this.#toStep);
  }

  return(): Promise<Step<Event>> {
    if (!this.#isOver) {
      this.close();
      this.#leaveRequest();
      this.#waiter?.resolve({ done: true, value: undefined } as never);
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Lets go of the signal and the timer. */
  close(): void {
    this.#isOver = true;
    clearTimeout(this.#silence);
    this.#limits.signal?.removeEventListener("abort", this.#abort);
  }

  readonly #toStep = (step: IteratorResult<Event, unknown>): Step<Event> => {
    if (step.done === true) {
      this.close();
      return { done: true, value: undefined };
    }
    const { value } = step;
    return { done: false, value: typeof value === "object" && value !== null ? [value] : [] };
  };

  /** Waits for a promise of the client, but no longer than until the call fails. */
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
    // A busy process first reads what has arrived meanwhile.
    setImmediate(() => {
      // Between two reads it is the reader who takes time.
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
    // Also after an error of the client: not all of them close what they do not read to its end.
    this.#leaveRequest();
    this.#waiter?.reject(reason);
  }

  /** Ends the request in every way that a client may heed. */
  #leaveRequest(): void {
    this.#leave.abort(this.#failure?.reason);
    endResult(this.#result);
    // Not awaited: behind a client that heeds no signal it would wait for the next event.
    this.#events?.return?.().then(undefined, () => undefined);
  }
}

/** Ends a stream that has a method for it: that of Ollama's library takes no signal, and one that was copied may have lost it. */
function endResult(result: unknown): void {
  for (const owner of [result, readProperty(result, "controller")]) {
    const abort = readProperty(owner, "abort");
    if (typeof abort === "function") abort.call(owner);
  }
}

/** Iterates over the answer that came in place of a stream. */
function onlyAnswer(result: unknown): AsyncIterator<never> {
  const answers: WholeAnswer[] = [new WholeAnswer(result)];
  return {
    next: async () => {
      const value = answers.pop();
      return value === undefined ? { done: true, value } : { done: false, value: value as never };
    },
  };
}
