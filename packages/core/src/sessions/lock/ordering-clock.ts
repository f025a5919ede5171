/** The milliseconds by which the finer clock may differ from the system's: the system's may be set anew. */
const mostApart = 2;

/**
 * A clock in microseconds of the epoch that gives no time twice, so that what happens within one millisecond has an order.
 * All stores over one driver share one: see `clockOf`.
 */
export class OrderingClock {
  #last = 0;

  /** Returns a time that is greater than the one given and all that this clock gave before. */
  next(previous = 0): number {
    this.#last = Math.max(microseconds(), this.#last + 1);
    return Math.max(this.#last, previous + 1);
  }
}

/** The time of the finer clock, which orders what several drivers do, as long as it agrees with the system's. */
function microseconds(): number {
  const now = Date.now();
  const finer = performance.timeOrigin + performance.now();
  return Math.floor(1000 * (Math.abs(finer - now) < mostApart ? finer : now));
}
