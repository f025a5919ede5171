/**
 * Returns the milliseconds since `startedAt`, a time by `performance.now`, rounded to three decimals. Further digits
 * are noise.
 */
export function elapsedMs(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 1000) / 1000;
}
