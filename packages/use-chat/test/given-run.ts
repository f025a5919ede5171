import type { RunEvent } from "@troupe/core/runs";
import type { ServedStoredRun } from "@troupe/core/transport";

/** An event without its id, which its place gives. */
export type GivenEvent = { type: string; [field: string]: unknown };

/** A stored run whose events and views the test gives, with all that an answer asks of it and its service. */
export class GivenRun {
  /** The recorded calls, in order. */
  readonly told: unknown[] = [];
  /** The results of `view`, in order; the last one is repeated. */
  views: object[] = [];
  /** The events that the service has stored. */
  stored: object[] = [];
  ends = 0;
  readonly run: ServedStoredRun;
  readonly #abort = new AbortController();
  readonly #ready: (RunEvent | Error)[] = [];
  #count = 0;
  #isOver = false;
  #wake = Promise.withResolvers<void>();

  constructor(fields: object = {}) {
    const service = {
      cancel: async (...asked: unknown[]) => void this.told.push(["cancel", ...asked]),
      storedEvents: (...asked: unknown[]) => {
        this.told.push(["storedEvents", ...asked]);
        return this.stored;
      },
    };
    const facts = { runId: "r1", sessionId: "c1", kind: "agent", name: "a", caller: { userId: "ada" } };
    this.run = {
      service,
      ...facts,
      signal: this.#abort.signal,
      view: async () => await this.#view(),
      follow: () => void this.told.push("follow"),
      next: async () => await this.#next(),
      end: () => void (this.ends += 1),
      disconnect: () => this.disconnect(),
      ...fields,
    } as unknown as ServedStoredRun;
  }

  /** Gives events, whose ids are `1.1`, `1.2` and so on. An error is the failure of the reading. */
  give(...events: (GivenEvent | Error)[]): this {
    for (const event of events) {
      this.#count += 1;
      this.#ready.push(event instanceof Error ? event : ({ ...event, id: `1.${this.#count}` } as unknown as RunEvent));
    }
    this.#wake.resolve();
    return this;
  }

  /** Ends the reading, as for a client that has left. */
  disconnect(): void {
    this.told.push("disconnect");
    this.#abort.abort();
    this.#wake.resolve();
  }

  async #view(): Promise<object | undefined> {
    this.told.push("view");
    const view = this.views.length > 1 ? this.views.shift() : this.views[0];
    if (view instanceof Error) throw view;
    return await Promise.resolve(view);
  }

  async #next(): Promise<RunEvent | undefined> {
    this.told.push("next");
    while (this.#ready.length === 0 && !this.#isOver && !this.#abort.signal.aborted) {
      this.#wake = Promise.withResolvers<void>();
      await this.#wake.promise;
    }
    const event = this.#abort.signal.aborted ? undefined : this.#ready.shift();
    if (event instanceof Error) throw event;
    this.#isOver ||= event?.type === "end";
    return event;
  }
}

/** A chunk of a journal step. */
export function chunk(type: string, fields: object = {}, step = "m/0"): GivenEvent {
  return { type: "chunk", step, chunk: { type, ...fields } };
}

/** The beginning of an attempt. */
export function attempt(count: number): GivenEvent {
  return { type: "attempt", attempt: count, node: "n" };
}
