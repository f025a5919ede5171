/** Returns the median of the values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Returns the value below which that percentage of the values lies. */
export function percentile(values: readonly number[], hundredths: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * hundredths) / 100))] ?? Number.NaN;
}

/** The median, two percentiles and the maximum of many values. */
export type Spread = { median: number; p95: number; p99: number; max: number };

/** Returns the spread of many values, of which there must be one at least. */
export function spreadOf(values: Float64Array): Spread {
  if (values.length === 0) throw new Error("There is no value to measure.");
  const sorted = values.toSorted();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { median: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
