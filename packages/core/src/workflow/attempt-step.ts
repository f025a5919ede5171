import { toTroupeError } from "../errors/to-troupe-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { ErrorCode } from "../errors/troupe-error.ts";
import { withRetry } from "../retry/with-retry.ts";
import type { RetryPolicy } from "./workflow-config.ts";

/** How a step is done. */
export type Attempts<Result> = {
  readonly name: string;
  readonly policy: RetryPolicy | undefined;
  readonly signal: AbortSignal;
  /** Does the step's own work. */
  readonly work: () => Result | Promise<Result>;
  /** Whether the step may begin anew, now that it has failed. */
  readonly mayRepeat?: (() => boolean) | undefined;
  /** Hears that it does. */
  readonly onRepeat?: () => Promise<void> | undefined;
};

/** The longest that a timer can wait. */
const longestMs = 2 ** 31 - 1;

/** Failures that another attempt meets again. */
const lasting: readonly ErrorCode[] = [
  "cancelled",
  "invalid_config",
  "invalid_value",
  "invalid_request",
  "unauthorized",
  "forbidden",
  "limit_exceeded",
];

/** Does a step's own work, again as the policy says, and puts the step's name to what it fails with at last. */
export async function attemptStep<Result>(attempts: Attempts<Result>): Promise<Result> {
  const { name, policy = { maxRetries: 0, backoffMs: 0 }, signal, work, mayRepeat, onRepeat } = attempts;
  const { maxRetries, backoffMs } = policy;
  const config = {
    maxRetries,
    initialDelayMs: backoffMs,
    maxDelayMs: Math.min(longestMs, backoffMs * 2 ** maxRetries),
    retryableErrors: (error: unknown) => !lasting.includes(toTroupeError(error).code) && mayRepeat?.() !== false,
  };
  const attempt = async (count: number): Promise<Result> => {
    if (count > 1) await onRepeat?.();
    return await work();
  };
  try {
    return await withRetry(attempt, config, { signal });
  } catch (error) {
    throw stepError(name, error);
  }
}

/** What a step failed with, and its name. */
export function stepError(name: string, thrown: unknown): TroupeError {
  const error = toTroupeError(thrown);
  const { code, message, fields } = error;
  return new TroupeError(code, `The step ${JSON.stringify(name)} failed: ${message}`, {
    cause: error,
    fields: { ...fields, step: name },
  });
}
