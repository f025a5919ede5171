import { mapBounded } from "../../base/async/map-bounded.ts";

/**
 * Milliseconds before its time at which a run is noted: three rounds of the sweep, so that a delayed round misses no
 * run.
 */
const aheadMs = 30_000;
/** The maximum number of noted runs: the runs with the earliest times. A round of the sweep wakes the other runs. */
const mostRuns = 20_000;
/** The number of due runs that are woken before the clock is read again. */
const batchSize = 100;

/** A run that waits until a time, in epoch milliseconds. */
type DueRun = { readonly runId: string; readonly at: number };

/**
 * The waiting runs of a storage whose waits soon end without an answer, such as sleeps. A process notes the runs that
 * it suspends, and the runs that its sweep finds in the list of open runs. One timer wakes all of them. It does not
 * keep the process alive.
 */
export class DueRuns {
  readonly #now: () => number;
  /** The noted runs, the earliest first. */
  #runs: DueRun[] = [];
  #wake: ((runId: string) => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isWaking = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins to wake due runs. `wake` must not reject. */
  start(wake: (runId: string) => Promise<void>): void {
    this.#wake = wake;
  }

  /** Forgets all noted runs, and stops the timer. */
  stop(): void {
    this.#wake = undefined;
    this.#runs = [];
    clearTimeout(this.#timer);
  }

  /** Notes the time of a run, unless it is far away or runs are not woken here. A run may be noted several times. */
  add(runId: string, at: number): void {
    if (this.#wake === undefined || !(at - this.#now() < aheadMs)) return;
    const place = this.#placeOf({ runId, at });
    const there = this.#runs[place];
    if (there?.runId === runId && there.at === at) return;
    this.#runs.splice(place, 0, { runId, at });
    if (this.#runs.length > mostRuns) this.#runs.pop();
    if (place === 0) this.#setTimer();
  }

  /** Returns the index of a run, or the index at which it belongs. */
  #placeOf(run: DueRun): number {
    let [from, to] = [0, this.#runs.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const other = this.#runs[middle];
      if (other !== undefined && isBefore(other, run)) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    const [first] = this.#runs;
    if (first === undefined || this.#isWaking) return;
    // A clock that was set back must not lead to a timer that is longer than a timer can be.
    const delayMs = Math.min(Math.max(first.at - this.#now(), 0), aheadMs);
    this.#timer = setTimeout(() => void this.#wakeDue(), delayMs).unref();
  }

  async #wakeDue(): Promise<void> {
    this.#isWaking = true;
    for (let due = this.#takeDue(); due.length > 0; due = this.#takeDue()) {
      await mapBounded(due, async ({ runId }) => await this.#wake?.(runId));
    }
    this.#isWaking = false;
    this.#setTimer();
  }

  #takeDue(): DueRun[] {
    const later = this.#runs.findIndex(({ at }) => at > this.#now());
    return this.#runs.splice(0, Math.min(later === -1 ? this.#runs.length : later, batchSize));
  }
}

function isBefore(one: DueRun, other: DueRun): boolean {
  return one.at === other.at ? one.runId < other.runId : one.at < other.at;
}
