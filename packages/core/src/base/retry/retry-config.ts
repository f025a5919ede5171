import { functionOption, integerOption, millisecondsOption, optional } from "../errors/option-checks.ts";
import { readOptions } from "../errors/read-options.ts";
import type { OptionTable } from "../errors/read-options.ts";

/** Options for retrying a failed call: number of retries, limits of the waits, and the failures that are retried. */
export type RetryConfig = {
  /** Maximum number of calls after the first failed call. @default 3 */
  maxRetries: number;
  /** Upper limit of the first wait, in milliseconds. @default 500 */
  initialDelayMs: number;
  /** Upper limit of every wait in milliseconds, including a wait that the vendor asks for. @default 10000 */
  maxDelayMs: number;
  /** Returns true for a failure after which the call is retried. @default `isRetryable` */
  retryableErrors?: ((error: unknown) => boolean) | undefined;
};

const optionTable = {
  maxRetries: optional(integerOption(0), 3),
  initialDelayMs: optional(millisecondsOption, 500),
  maxDelayMs: optional(millisecondsOption, 10_000),
  retryableErrors: optional(functionOption<(error: unknown) => boolean>()),
} satisfies OptionTable<RetryConfig>;

/** Checks the retry options and adds the defaults. Throws `invalid_config` for a wrong option. */
export function resolveRetryConfig(config: Partial<RetryConfig> = {}): RetryConfig {
  return readOptions(optionTable, config, { path: "retry" });
}
