import type { RunKind } from "@troupe/core/runs";
import { TroupeError } from "@troupe/core";
import type { EventRange, ServedEvent, ServedRun, SettledRun } from "@troupe/core/transport";

/** An event without its id, which its place gives. */
export type GivenEvent = { type: string; [field: string]: unknown };

/** A served run of the test's making: stored or live, and of a kind. */
type Given = { kind?: RunKind; isStored?: boolean; over?: Promise<void> };

/** A served run whose events, view and result the test gives, and what an answer has asked of it. */
export class GivenRun {
  /** The recorded calls, in order. */
  readonly told: unknown[] = [];
  /** The result of `view`. An error is thrown. */
  view: object = {};
  /** The result of `settled`. */
  settled: Promise<unknown> | object | undefined;
  /** The number of times that the reading of events has ended. */
  ends = 0;
  readonly run: ServedRun;
  readonly #abort = new AbortController();
  readonly #isStored: boolean;
  readonly #ready: (ServedEvent | Error)[] = [];
  #count = 0;
  #wake = Promise.withResolvers<void>();

  constructor({ kind = "agent", isStored = true, over }: Given = {}) {
    this.#isStored = isStored;
    this.run = {
      runId: "r1",
      sessionId: "s1",
      kind,
      name: "a",
      isStored,
      isDurable: false,
      over,
      signal: this.#abort.signal,
      view: async () => {
        this.told.push("view");
        if (this.view instanceof Error) throw this.view;
        return this.view;
      },
      checkReadable: (view: unknown) => this.told.push(["checkReadable", view]),
      events: ({ after, isWhole = false }: EventRange = {}) => {
        this.told.push(["events", { after, isWhole }]);
        return this.#read();
      },
      settled: async () => {
        this.told.push("settled");
        return (await this.settled) as SettledRun | undefined;
      },
      disconnect: () => this.#disconnect(),
    } as unknown as ServedRun;
  }

  /** Gives events; those of a stored run have the ids `1.1`, `1.2` and so on. An error is the failure of the reading. */
  give(...events: (GivenEvent | Error)[]): this {
    for (const event of events) {
      this.#count += 1;
      const id = this.#isStored ? { id: `1.${this.#count}` } : {};
      this.#ready.push(event instanceof Error ? event : ({ ...event, ...id } as unknown as ServedEvent));
    }
    this.#wake.resolve();
    return this;
  }

  async *#read(): AsyncGenerator<ServedEvent, undefined> {
    try {
      for (let isOver = false; !isOver;) {
        const event = await this.#next();
        if (event === undefined) return undefined;
        if (event instanceof Error) throw event;
        isOver = event.type === "end" || event.type === "failure";
        yield event;
      }
      return undefined;
    } finally {
      this.ends += 1;
    }
  }

  async #next(): Promise<ServedEvent | Error | undefined> {
    this.told.push("next");
    while (this.#ready.length === 0 && !this.#abort.signal.aborted) {
      this.#wake = Promise.withResolvers<void>();
      await this.#wake.promise;
    }
    if (!this.#abort.signal.aborted) return this.#ready.shift();
    return this.#isStored ? undefined : { type: "failure", error: disconnected };
  }

  #disconnect(): void {
    this.told.push("disconnect");
    this.#abort.abort(disconnected);
    this.#wake.resolve();
  }
}

const disconnected = new TroupeError("cancelled", "The client disconnected before the answer.");

/** A chunk of a journal step. */
export function chunk(type: string, fields: object = {}, step = "m/0"): GivenEvent {
  return { type: "chunk", step, chunk: { type, ...fields } };
}

/** The beginning of an attempt. */
export function attempt(count: number): GivenEvent {
  return { type: "attempt", attempt: count, node: "n" };
}
