/** The difference between this process's clock and that of the machine, in milliseconds. */
const offsetMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** A span of time by the clock of the machine, without its last moment. */
export type TimeSpan = { fromMs: number; toMs: number };

/** Returns true if a time is within a span. */
export function isWithin(timeMs: number, { fromMs, toMs }: TimeSpan): boolean {
  return timeMs >= fromMs && timeMs < toMs;
}

/** Returns the time in milliseconds by the monotonic clock of the machine, which all its processes share. */
export function machineTimeMs(): number {
  return offsetMs + performance.now();
}
