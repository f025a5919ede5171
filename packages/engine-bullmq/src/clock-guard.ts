import { TroupeError } from "@troupe/core";
import type { DatabaseClock } from "./backend.ts";

/** Attempts at measuring: a slow answer says little about a clock. */
const measurements = 3;
/** Milliseconds between two checks. */
const checkMs = 60_000;
/** Milliseconds between two looks at the clock of this process alone, which cost nothing. */
const lookMs = 1000;

/** Returns by how many milliseconds at least the clock of this process differs from the database's. */
async function measureSkew(clock: DatabaseClock, now: () => number): Promise<number> {
  let least = Infinity;
  for (let count = 0; count < measurements && least > 0; count++) {
    const before = now();
    const there = await clock.now();
    // Read somewhere between: what lies outside is skew for certain.
    least = Math.min(least, Math.max(0, before - there, there - now()));
  }
  return least;
}

/**
 * Compares the clock of this process with the database's. On PostgreSQL a lock ends by the clock of the process that looks: with
 * clocks too far apart, processes would take each other's jobs, or those of a dead one late.
 */
export class ClockGuard {
  readonly #clock: DatabaseClock;
  readonly #now: () => number;
  readonly #limitMs: number;
  readonly #queues: readonly string[];
  /** Difference of the clock to the monotonic one at the last check. */
  #checkedOffset = 0;

  constructor(init: { clock: DatabaseClock; now: () => number; lockMs: number; queues: readonly string[] }) {
    this.#clock = init.clock;
    this.#now = init.now;
    this.#limitMs = init.lockMs / 6;
    this.#queues = init.queues;
  }

  /** Returns the failure of a clock that is too wrong. */
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

  /** Lets all processes look for expired locks again, after one whose clock was ahead. */
  async clearFutureChecks(): Promise<void> {
    await this.#clock.clearFutureChecks(this.#queues, this.#limitMs);
  }

  /** Calls `check` every minute, and within a second after the clock of this process was set. Returns a function that ends it. */
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
