import type { RunEvent } from "@troupe-internal/client";

/** Milliseconds between two changes of the page while an answer arrives. */
const batchMs = 40;

/** Events of a run that the page does not show yet. They are passed on together, so that the page changes only once. */
export class EventBatch {
  readonly #take: (events: readonly RunEvent[]) => void;
  #events: RunEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(take: (events: readonly RunEvent[]) => void) {
    this.#take = take;
  }

  /** Adds an event of a run, which is passed on within milliseconds. */
  add(event: RunEvent): void {
    this.#events.push(event);
    this.#timer ??= setTimeout(() => this.flush(), batchMs);
  }

  /** Passes on the collected events of the run at once. */
  flush(): void {
    const events = this.#events;
    this.drop();
    if (events.length > 0) this.#take(events);
  }

  /** Drops the collected events of the run. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#events = [];
  }
}
