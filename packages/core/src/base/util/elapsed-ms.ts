/**
 * Returns the milliseconds since `startedAt`, a time by `performance.now`, to three decimals: the digits after them are
 * noise of the clock and of binary fractions.
 */
export function elapsedMs(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1000) / 1000;
}
