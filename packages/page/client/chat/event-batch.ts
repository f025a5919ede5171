import type { RunEvent } from "../api/wire.ts";

/** Milliseconds between two changes of the page while an answer arrives. */
const batchMs = 40;

/** The events of one run that the page does not show yet. They are handed on together, so that the page changes once for them. */
export class EventBatch {
  readonly #take: (events: readonly RunEvent[]) => void;
  #events: RunEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(take: (events: readonly RunEvent[]) => void) {
    this.#take = take;
  }

  /** Adds an event, which is handed on within milliseconds. */
  add(event: RunEvent): void {
    this.#events.push(event);
    this.#timer ??= setTimeout(() => this.flush(), batchMs);
  }

  /** Hands on what there is at once. */
  flush(): void {
    const events = this.#events;
    this.drop();
    if (events.length > 0) this.#take(events);
  }

  /** Forgets what was not handed on. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#events = [];
  }
}
