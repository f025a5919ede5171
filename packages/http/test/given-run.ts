import type { RunEvent } from "@troupe/core/runs";
import type { ClientTail, FollowedRun } from "@troupe/core/transport";

/** An event without its id, which its place gives. */
export type GivenEvent = { type: string; [field: string]: unknown };

/** A kept run whose events and views the test gives, with all that an answer asks of its service and its tail. */
export class GivenRun {
  /** What was asked, in its order. */
  readonly told: unknown[] = [];
  /** What the service's `get` returns: the last one again and again. */
  views: object[] = [];
  /** The events that the service has stored. */
  stored: object[] = [];
  ends = 0;
  readonly tail: ClientTail;
  readonly run: FollowedRun;
  readonly #abort = new AbortController();
  readonly #ready: (RunEvent | Error)[] = [];
  #count = 0;
  #isOver = false;
  #wake = Promise.withResolvers<void>();

  constructor(fields: Partial<FollowedRun> = {}) {
    const service = {
      get: async (...asked: unknown[]) => {
        this.told.push(["get", ...asked]);
        const view = this.views.length > 1 ? this.views.shift() : this.views[0];
        if (view instanceof Error) throw view;
        return view;
      },
      cancel: async (...asked: unknown[]) => void this.told.push(["cancel", ...asked]),
      storedEvents: (...asked: unknown[]) => {
        this.told.push(["storedEvents", ...asked]);
        return this.stored;
      },
    };
    this.run = { service, runId: "r1", kind: "agent", caller: { userId: "ada" }, ...fields } as unknown as FollowedRun;
    this.tail = {
      run: this.run,
      signal: this.#abort.signal,
      next: async () => await this.#next(),
      end: () => void (this.ends += 1),
      leave: () => this.#leave(),
    } as unknown as ClientTail;
  }

  /** The part of the router's settings by which the run is followed. */
  get servedRuns() {
    const follow = (run: FollowedRun): ClientTail => {
      this.told.push(["follow", run]);
      return this.tail;
    };
    return { follow, isDraining: false };
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

  #leave(): void {
    this.told.push("leave");
    this.#abort.abort();
    this.#wake.resolve();
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
