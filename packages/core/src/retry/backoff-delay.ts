import type { RetryConfig } from "./retry-config.ts";

/**
 * How long to wait before a retry, the first of which is 0. The wait is drawn from the whole span up to a bound that
 * doubles each time, so that callers who failed together do not come back together.
 */
export function backoffDelay(
  retry: number,
  { initialDelayMs, maxDelayMs }: Pick<RetryConfig, "initialDelayMs" | "maxDelayMs">,
  random: () => number = Math.random,
): number {
  // An exponent without a bound makes Infinity, and 0 times Infinity is no number.
  const bound = Math.min(maxDelayMs, initialDelayMs * 2 ** Math.min(retry, 64));
  return random() * bound;
}
