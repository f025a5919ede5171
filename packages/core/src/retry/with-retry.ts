import { abortedError } from "../errors/aborted-error.ts";
import { wrongOption } from "../errors/read-options.ts";
import { sleep } from "../async/sleep.ts";
import { askedDelay } from "./asked-delay.ts";
import { backoffDelay } from "./backoff-delay.ts";
import { isCancelled, isRetryable } from "./is-retryable.ts";
import { resolveRetryConfig } from "./retry-config.ts";
import type { RetryConfig } from "./retry-config.ts";

/** One attempt, counted from 1. */
export type Attempt<Result> = (attempt: number, signal?: AbortSignal) => Result | Promise<Result>;

/** What goes with one use of `withRetry`. */
export type RetryContext = {
  /** Ends the waiting at once, and with it the retries. */
  signal?: AbortSignal | undefined;
  /** Draws a number from 0 to 1. @default Math.random */
  random?: (() => number) | undefined;
};

/**
 * Calls `fn` until it succeeds, and repeats it after failures that may pass. It waits longer each time, at random within a
 * growing bound, and at least as long as the vendor asks, but never longer than `maxDelayMs`. The last failure is thrown as
 * it is; an abort throws `cancelled`.
 */
export async function withRetry<Result>(
  fn: Attempt<Result>,
  partialConfig?: Partial<RetryConfig>,
  { signal, random }: RetryContext = {},
): Promise<Result> {
  if (typeof fn !== "function") throw wrongOption("fn", "a function", fn);
  const config = resolveRetryConfig(partialConfig);
  if (signal?.aborted) throw abortedError(signal.reason);
  for (let attempt = 1; ; attempt++) {
    try {
      return await fn(attempt, signal);
    } catch (error) {
      if (attempt > config.maxRetries || !isWorthRetrying(error, config, signal)) throw error;
      const asked = Math.min(askedDelay(error), config.maxDelayMs);
      await pause(Math.max(asked, backoffDelay(attempt - 1, config, random)), signal);
    }
  }
}

function isWorthRetrying(error: unknown, config: RetryConfig, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted || isCancelled(error)) return false;
  return (config.retryableErrors ?? isRetryable)(error);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, signal);
  } catch (reason) {
    throw abortedError(reason);
  }
}
