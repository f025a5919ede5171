import type { RunWait } from "../run/run-wait.ts";

/** The steps that an attempt has in progress, and the waits that they have reached. */
export class StepsInProgress {
  readonly #open = new Set<string>();
  readonly #waits = new Map<string, RunWait>();
  readonly #onIdle: () => void;

  /** @param onIdle called when every step in progress waits, after each further step that ends or waits */
  constructor(onIdle: () => void) {
    this.#onIdle = onIdle;
  }

  get waits(): readonly RunWait[] {
    return [...this.#waits.values()];
  }

  /** True if every step in progress waits, or contains a step that waits. */
  get isIdle(): boolean {
    const waiting = [...this.#waits.keys()];
    return [...this.#open].every((step) => waiting.some((other) => other === step || other.startsWith(`${step}/`)));
  }

  /** Adds a step in progress. Returns a function that ends it, and does nothing when called again. */
  open(step: string): () => void {
    this.#open.add(step);
    return () => {
      if (this.#open.delete(step)) this.checkIdle();
    };
  }

  /** Adds a wait. The caller calls `checkIdle` once it has logged the wait. */
  wait(step: string, wait: RunWait): void {
    this.#waits.set(step, wait);
  }

  /** Calls `onIdle` if nothing but waits is left. Deferred, because a step that has just ended may lead to the next. */
  checkIdle(): void {
    if (this.#waits.size === 0) return;
    setImmediate(() => {
      if (this.isIdle) this.#onIdle();
    });
  }
}
