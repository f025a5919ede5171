import { abortedError } from "../errors/aborted-error.ts";
import { wrongOption } from "../errors/read-options.ts";
import { readRetryAfter } from "../errors/read-retry-after.ts";
import { readProperty } from "../util/read-property.ts";
import { sleep } from "../async/sleep.ts";
import { isCancelled, isRetryable } from "./is-retryable.ts";
import { resolveRetryConfig } from "./retry-config.ts";
import type { RetryConfig } from "./retry-config.ts";

/** The function that `withRetry` calls and repeats. `attempt` counts from 1. It throws to report a failure. */
export type RetriedCall<Result> = (attempt: number, signal?: AbortSignal) => Result | Promise<Result>;

/** Context of one use of `withRetry`: its signal, and the source of random numbers. */
export type RetryContext = {
  /** Signal that ends the waiting for a retry, and all further retries, immediately. */
  signal?: AbortSignal | undefined;
  /** Returns a random number from 0 to 1. @default Math.random */
  random?: (() => number) | undefined;
};

/**
 * Calls `fn` and repeats it after transient failures. Each wait is random within a growing limit, at least as long as
 * the vendor asks, and never longer than `maxDelayMs`. Throws the last failure; an abort before the first call or
 * during a wait throws the error of `abortedError`.
 */
export async function withRetry<Result>(
  fn: RetriedCall<Result>,
  config?: Partial<RetryConfig>,
  context?: RetryContext,
): Promise<Result> {
  if (typeof fn !== "function") throw wrongOption("fn", "a function", fn);
  return await callWithRetries(fn, resolveRetryConfig(config), context);
}

/** Repeats a failing function as `withRetry` does, with a `config` already completed by `resolveRetryConfig`. */
export async function callWithRetries<Result>(
  fn: RetriedCall<Result>,
  config: RetryConfig,
  { signal, random }: RetryContext = {},
): Promise<Result> {
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

/**
 * Returns the milliseconds that a vendor's error asks to wait before a retry: from its `retryAfterMs`, or else its
 * response headers, or else 0.
 */
export function askedDelay(error: unknown): number {
  const asked = readProperty(error, "retryAfterMs") ?? delayInHeaders(readProperty(error, "headers"));
  return typeof asked === "number" && asked > 0 ? asked : 0;
}

function delayInHeaders(headers: unknown): number | undefined {
  return headers instanceof Headers ? readRetryAfter(headers) : undefined;
}

/**
 * Returns the milliseconds to wait before a retry, given its number from 0. The wait is random, up to a limit that
 * doubles each time, so that callers that failed together do not retry together.
 */
export function backoffDelay(
  retry: number,
  { initialDelayMs, maxDelayMs }: Pick<RetryConfig, "initialDelayMs" | "maxDelayMs">,
  random: () => number = Math.random,
): number {
  // The exponent is limited, because otherwise 0 times Infinity would be NaN.
  const bound = Math.min(maxDelayMs, initialDelayMs * 2 ** Math.min(retry, 64));
  return random() * bound;
}
