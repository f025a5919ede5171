import { TroupeError } from "@troupe/core";
import type { DatabaseClock } from "./backend.ts";

/**
 * The maximum number of measurements in one clock check. If the database replies slowly, a single measurement shows
 * little about its clock.
 */
const measurements = 3;
/** Milliseconds between two comparisons with the database's clock. */
const checkMs = 60_000;
/** Milliseconds between two cheap checks that only read the clock of this process. */
const lookMs = 1000;

/** Returns a lower bound of the difference between the clocks of this process and of the database, in milliseconds. */
async function measureSkew(clock: DatabaseClock, now: () => number): Promise<number> {
  let least = Infinity;
  for (let count = 0; count < measurements && least > 0; count++) {
    const before = now();
    const there = await clock.now();
    // The database read its time between the two local readings, so any time outside them is a real difference.
    least = Math.min(least, Math.max(0, before - there, there - now()));
  }
  return least;
}

/**
 * Compares the clock of this process with the database's clock. On PostgreSQL, a lock expires by the clock of the
 * process that checks it. If clocks differ too much, processes take each other's jobs, or take over the jobs of a dead
 * process too late.
 */
export class ClockGuard {
  readonly #clock: DatabaseClock;
  readonly #now: () => number;
  readonly #limitMs: number;
  readonly #queues: readonly string[];
  /** Difference between the system clock and the monotonic clock at the last check, in milliseconds. */
  #checkedOffset = 0;

  constructor(init: { clock: DatabaseClock; now: () => number; lockMs: number; queues: readonly string[] }) {
    this.#clock = init.clock;
    this.#now = init.now;
    this.#limitMs = init.lockMs / 6;
    this.#queues = init.queues;
  }

  /** Compares the clocks. Returns an error if they differ by more than a sixth of `lockMs`, else undefined. */
  async check(): Promise<TroupeError | undefined> {
    const offset = this.#offset();
    const skewMs = await measureSkew(this.#clock, this.#now);
    this.#checkedOffset = offset;
    if (skewMs <= this.#limitMs) return undefined;
    return new TroupeError(
      "unavailable",
      `The clock of this process differs by ${Math.round(skewMs)} ms from the database's, and may by ${Math.round(this.#limitMs)} ms: a sixth of lockMs. Synchronize the clocks of all machines, for example with chrony, or raise lockMs in all processes.`,
    );
  }

  /** Lets all processes check for expired locks again, after a process whose clock was ahead. */
  async clearFutureChecks(): Promise<void> {
    await this.#clock.clearFutureChecks(this.#queues, this.#limitMs);
  }

  /**
   * Calls `check` every minute, and within a second after the clock of this process was changed. Returns a function
   * that ends the calls.
   */
  watch(check: () => Promise<void>): () => void {
    let isChecking = false;
    const run = async (): Promise<void> => {
      if (isChecking) return;
      isChecking = true;
      await check().finally(() => (isChecking = false));
    };
    const timers = [
      setInterval(() => void run(), checkMs).unref(),
      setInterval(() => {
        if (this.#wasSet()) void run();
      }, lookMs).unref(),
    ];
    return () => {
      for (const timer of timers) clearInterval(timer);
    };
  }

  #wasSet(): boolean {
    return Math.abs(this.#offset() - this.#checkedOffset) > this.#limitMs / 2;
  }

  #offset(): number {
    return this.#now() - performance.now();
  }
}
