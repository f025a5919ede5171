import { takesSignal } from "../run/run-wait.ts";
import type { RunSignal, RunWait } from "../run/run-wait.ts";

/** The stored signals to a run, and the steps that have taken them as the answer to a wait. */
export class StepSignals {
  readonly #signals: readonly RunSignal[];
  /** The numbers of the signals that finished steps have taken. */
  readonly #taken: ReadonlySet<number>;
  /** By journal step: the number (from 1) of the signal that the step has taken. */
  readonly #taking = new Map<string, number>();

  constructor(signals: readonly RunSignal[], taken: ReadonlySet<number>) {
    this.#signals = signals;
    this.#taken = taken;
  }

  /** The number of the newest signal; undefined if there is none. */
  get newest(): number | undefined {
    return this.#signals.at(-1)?.number;
  }

  /**
   * Returns the first signal that answers a wait and was not taken by another step. The result of `step` will record
   * that the step has taken this signal.
   */
  take(step: string, wait: Pick<RunWait, "kind" | "about" | "until">): RunSignal | undefined {
    const taken = this.#taking.get(step);
    const found = this.#signals.find((signal) => {
      return taken === undefined ? this.#isFree(signal) && takesSignal(wait, signal) : signal.number === taken;
    });
    if (found !== undefined) this.#taking.set(step, found.number);
    return found;
  }

  /** Returns the number of the signal that a step has taken. */
  takenBy(step: string): number | undefined {
    return this.#taking.get(step);
  }

  #isFree({ number }: RunSignal): boolean {
    return !this.#taken.has(number) && ![...this.#taking.values()].includes(number);
  }
}
