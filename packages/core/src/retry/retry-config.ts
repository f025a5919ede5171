import { checkCount, checkDuration } from "../errors/check-option.ts";
import { wrongOption } from "../errors/read-options.ts";

/** When and how often a failed call is repeated. */
export type RetryConfig = {
  /** How often a call is repeated after its first failure. @default 3 */
  maxRetries: number;
  /** The longest first wait. @default 500 */
  initialDelayMs: number;
  /** The longest wait of all, whatever a vendor asks for. @default 10000 */
  maxDelayMs: number;
  /** Says which failures are worth another call, in place of the usual ones. */
  retryableErrors?: (error: unknown) => boolean;
};

/** Fills in the defaults, and refuses what is no count, no duration or no function. */
export function resolveRetryConfig(partial: Partial<RetryConfig> = {}): RetryConfig {
  if (typeof partial !== "object" || partial === null) throw wrongOption("retry", "an object", partial);
  const { maxRetries = 3, initialDelayMs = 500, maxDelayMs = 10_000, retryableErrors } = partial;
  if (retryableErrors !== undefined && typeof retryableErrors !== "function") {
    throw wrongOption("retry.retryableErrors", "a function", retryableErrors);
  }
  return {
    maxRetries: checkCount(maxRetries, "retry.maxRetries"),
    initialDelayMs: checkDuration(initialDelayMs, "retry.initialDelayMs"),
    maxDelayMs: checkDuration(maxDelayMs, "retry.maxDelayMs"),
    ...(retryableErrors === undefined ? {} : { retryableErrors }),
  };
}
