import { TroupeError } from "@troupe/core";

/** Attempts at measuring: a slow answer says little about a clock. */
const measurements = 3;

/** Returns by how many milliseconds at least the clock of this process differs from the database's. */
async function measureSkew(databaseTime: () => Promise<number>, now: () => number): Promise<number> {
  let least = Infinity;
  for (let count = 0; count < measurements && least > 0; count++) {
    const before = now();
    const there = await databaseTime();
    // Read somewhere between: what lies outside is skew for certain.
    least = Math.min(least, Math.max(0, before - there, there - now()));
  }
  return least;
}

/**
 * Compares the clock of this process with the database's. On PostgreSQL a lock ends by the clock of whoever looks: with clocks
 * too far apart, processes would take each other's jobs, or those of a dead one late.
 */
export class ClockGuard {
  readonly #databaseTime: () => Promise<number>;
  readonly #now: () => number;
  readonly #limitMs: number;

  constructor(init: { databaseTime: () => Promise<number>; now: () => number; lockMs: number }) {
    this.#databaseTime = init.databaseTime;
    this.#now = init.now;
    this.#limitMs = init.lockMs / 6;
  }

  /** Returns the failure of a clock that is too wrong. */
  async check(): Promise<TroupeError | undefined> {
    const skewMs = await measureSkew(this.#databaseTime, this.#now);
    if (skewMs <= this.#limitMs) return undefined;
    return new TroupeError(
      "unavailable",
      `The clock of this process differs by ${Math.round(skewMs)} ms from the database's, and may by ${Math.round(this.#limitMs)} ms: a sixth of lockMs. Synchronize the clocks of all machines, for example with chrony, or raise lockMs in all processes.`,
    );
  }
}
