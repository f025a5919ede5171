import { setTimeout as sleep } from "node:timers/promises";
import type { RunView } from "@troupe/core/runs";
import type { ServedEvent, ServedRun, ServedStoredRun } from "@troupe/core/transport";
import type { StoredPart } from "./run-parts.ts";

/** The end of one part of a run's events: the run waits for its client. */
type PauseEvent = { readonly type: "pause"; readonly waits: NonNullable<RunView["waits"]> };

/** An event of a run, or its pause. */
export type PartEvent = ServedEvent | PauseEvent;

/**
 * The start of a part in the events of a run: after an event, or after the attempts that came before the client's
 * answer.
 */
export type PartStart = { readonly after?: string | undefined; readonly attempts?: number };

/** Milliseconds between two checks of a run that may be about to wait: the first interval and the longest. */
const looks = { firstMs: 5, lastMs: 1000 };

/**
 * Reads the events of a run until it ends, fails, or waits for its client.
 *
 * @yields the events; the last one is an end, a failure or a pause, unless the client has disconnected
 */
export async function* readPart(run: ServedRun, start: PartStart = {}): AsyncGenerator<PartEvent, void> {
  if (!run.isStored) yield* run.events();
  else yield* new PartReader(run, start).read();
}

/**
 * Reads a part again that an answer of the client has ended, from its stored events.
 *
 * @yields the events of the part; the last one is a pause
 */
export async function* replayPart({ events }: StoredPart): AsyncGenerator<PartEvent, void> {
  yield* events.flatMap((event) => (event.type === "end" ? [] : [event]));
  yield { type: "pause", waits: events.flatMap((event) => (event.type === "wait" ? [event.wait] : [])) };
}

class PartReader {
  readonly #run: ServedStoredRun;
  readonly #start: PartStart;
  readonly #events: AsyncGenerator<ServedEvent, undefined>;
  #next: Promise<IteratorResult<ServedEvent, undefined>> | undefined;
  #attempt = 0;
  #lastId: string | undefined;
  #mayWait = false;

  constructor(run: ServedStoredRun, start: PartStart) {
    this.#run = run;
    this.#start = start;
    this.#lastId = start.after;
    this.#events = run.events({ after: start.after, isWhole: true });
  }

  async *read(): AsyncGenerator<PartEvent, void> {
    try {
      for (;;) {
        const found = await this.#nextOrPause();
        if ("status" in found) yield* this.#pause(found);
        if ("status" in found || found.done === true) return;
        const event = found.value;
        this.#note(event);
        yield event;
        if (event.type === "end" || event.type === "failure") return;
      }
    } finally {
      void this.#events.return(undefined);
      this.#run.end();
    }
  }

  #note(event: ServedEvent): void {
    if (event.id !== undefined) this.#lastId = event.id;
    if (event.type === "attempt") this.#attempt = event.attempt;
    if (event.type === "wait") this.#mayWait = true;
  }

  /** Yields the stored events from before the run began to wait, and then the pause. */
  async *#pause({ waits = [] }: RunView): AsyncGenerator<PartEvent, void> {
    const { service, runId, caller } = this.#run;
    for await (const event of service.storedEvents(runId, caller, this.#lastId)) {
      if (event.type !== "end") yield event;
    }
    yield { type: "pause", waits };
  }

  async #nextOrPause(): Promise<IteratorResult<ServedEvent, undefined> | RunView> {
    const next = (this.#next ??= this.#events.next());
    const given = new AbortController();
    try {
      const found = this.#mayWait ? await Promise.race([next, this.#untilPaused(given.signal)]) : await next;
      if (!("status" in found)) this.#next = undefined;
      return found;
    } finally {
      given.abort();
    }
  }

  /** Resolves when the run waits for an answer. Never resolves after the signal aborts. */
  async #untilPaused(signal: AbortSignal): Promise<RunView> {
    for (let ms = looks.firstMs; !signal.aborted; ms = Math.min(2 * ms, looks.lastMs)) {
      await sleep(ms, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) break;
      const view = await this.#run.view();
      const isPaused = view.status === "waiting" && waitsForClient(view) && view.attempts <= this.#attempt;
      if (isPaused && this.#attempt > (this.#start.attempts ?? 0)) return view;
    }
    return await new Promise(() => undefined);
  }
}

/** Returns true if a run waits for an answer, and not only for a time or an event, after which it goes on by itself. */
export function waitsForClient({ waits = [] }: RunView): boolean {
  return waits.some(({ kind }) => kind !== "sleep" && kind !== "event");
}
