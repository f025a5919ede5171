import { functionLike, integer, milliseconds, optional } from "../errors/option-checks.ts";
import { readOptions } from "../errors/read-options.ts";
import type { OptionTable } from "../errors/read-options.ts";

/** Options of repeating a failed call: number of retries, bounds of the waits, and the failures that are retried. */
export type RetryConfig = {
  /** Number of calls after the first failed one. @default 3 */
  maxRetries: number;
  /** Upper bound of the first wait, in milliseconds. @default 500 */
  initialDelayMs: number;
  /** Upper bound of every wait in milliseconds, also of one that the vendor asks for. @default 10000 */
  maxDelayMs: number;
  /** Tells which failures are worth another call. @default `isRetryable` */
  retryableErrors?: ((error: unknown) => boolean) | undefined;
};

const optionTable = {
  maxRetries: optional(integer(0), 3),
  initialDelayMs: optional(milliseconds, 500),
  maxDelayMs: optional(milliseconds, 10_000),
  retryableErrors: optional(functionLike<(error: unknown) => boolean>()),
} satisfies OptionTable<RetryConfig>;

/** Checks the options of retries and adds the defaults. Throws `invalid_config` for a wrong one. */
export function resolveRetryConfig(config: Partial<RetryConfig> = {}): RetryConfig {
  return readOptions(optionTable, config, { path: "retry" });
}
