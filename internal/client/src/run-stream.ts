import { ApiError, mayPass } from "./api-error.ts";
import { followRun } from "./follow-run.ts";
import type { FollowOptions, RunUpdate } from "./follow-run.ts";
import type { ServiceApi } from "./service-api.ts";
import type { RunEvent } from "./wire.ts";

/** The ids of a run and its session. */
export type RunIds = { readonly runId: string; readonly sessionId: string };

/**
 * An event of a run, or `restart`: another process continues the run, and its events are sent again from the beginning.
 * Discard the earlier events.
 */
export type ClientEvent = RunEvent | { readonly type: "restart" };

/** The request that opens a stream, its signal, and the function that waits before the request is repeated. */
type Opening = {
  readonly api: ServiceApi;
  readonly open: (signal: AbortSignal) => Promise<Response>;
  readonly signal?: AbortSignal | undefined;
  readonly pause?: FollowOptions["pause"] | undefined;
};

/**
 * The maximum number of times that an unanswered request is repeated. Its idempotency key makes the repetition safe.
 */
const mostRepeats = 5;

/**
 * The events of a run, over as many connections as necessary: without a gap, and without repeated events. Leaving the
 * loop, or aborting the signal, ends the reading but not the run; `cancel` ends the run.
 */
export class ClientStream implements AsyncIterable<ClientEvent> {
  /** Resolves with the ids of the run once it has begun. */
  readonly ids: Promise<RunIds>;
  readonly #api: ServiceApi;
  readonly #events: AsyncGenerator<ClientEvent>;
  readonly #begun = Promise.withResolvers<RunIds>();
  readonly #abort = new AbortController();
  readonly #signal: AbortSignal;
  readonly #pause: Opening["pause"];

  constructor({ api, open, signal, pause }: Opening) {
    this.#pause = pause;
    this.#api = api;
    this.ids = this.#begun.promise;
    this.ids.catch(() => undefined);
    this.#signal = signal === undefined ? this.#abort.signal : AbortSignal.any([signal, this.#abort.signal]);
    this.#events = this.#read(open);
  }

  [Symbol.asyncIterator](): AsyncIterator<ClientEvent> {
    return this.#events;
  }

  /** Cancels the run, once it has begun, and ends the reading. */
  async cancel(): Promise<void> {
    const { runId } = await this.ids;
    await this.#api.cancel(runId);
  }

  async *#read(open: Opening["open"]): AsyncGenerator<ClientEvent> {
    const signal = this.#signal;
    try {
      const opening = { open: async () => await open(signal), mayReopen };
      const pause = this.#pause === undefined ? {} : { pause: this.#pause };
      for await (const update of followRun({ api: this.#api, ...opening, ...pause, signal })) {
        const event = this.#take(update);
        if (event === undefined) continue;
        yield event;
        if (event.type === "error") throw new ApiError(event.error);
      }
    } catch (error) {
      this.#begun.reject(error);
      // The reader receives no error after the signal has aborted.
      if (!signal.aborted) throw error;
    } finally {
      this.#abort.abort();
      this.#begun.reject(new ApiError({ code: "cancelled", message: "The run was not begun." }));
    }
  }

  #take(update: RunUpdate): ClientEvent | undefined {
    if (update.type === "event") return update.event;
    if (update.type === "begun") this.#begun.resolve(update);
    return update.type === "restart" ? update : undefined;
  }
}

function mayReopen(error: ApiError, failures: number): boolean {
  return failures < mostRepeats && mayPass(error);
}
