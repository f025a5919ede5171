/**
 * The maximum difference, in milliseconds, between the finer clock (`performance`) and the system clock, which may be
 * reset.
 */
const mostApart = 2;

/**
 * A clock in microseconds of the epoch whose time grows with each call, so that events within one millisecond have an
 * order. All stores over one driver share one clock: see `clockOf`.
 */
export class OrderingClock {
  #last = 0;

  /**
   * Returns a time greater than `previous`, and greater than all earlier times of this clock, except times that a
   * `previous` in the future caused.
   */
  next(previous = 0): number {
    this.#last = Math.max(microseconds(), this.#last + 1);
    return Math.max(this.#last, previous + 1);
  }
}

/**
 * Returns the time of the finer clock (`performance`), which orders events of several drivers. If it disagrees with the
 * system clock, returns the system's time.
 */
function microseconds(): number {
  const now = Date.now();
  const finer = performance.timeOrigin + performance.now();
  return Math.floor(1000 * (Math.abs(finer - now) < mostApart ? finer : now));
}
