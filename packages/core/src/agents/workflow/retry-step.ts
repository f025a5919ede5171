import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ErrorCode } from "../../base/errors/troupe-error.ts";
import { WrapperError } from "../../base/errors/wrapper-error.ts";
import { StoredFailure } from "../run/stored-failure.ts";
import { withRetry } from "../../base/retry/with-retry.ts";
import type { RetryPolicy } from "./workflow-config.ts";

/** Parameters of `retryStep`: the step's name and work, its retry policy and signal, and callbacks for repetitions. */
export type StepRetryOptions<Result> = {
  readonly name: string;
  readonly policy: RetryPolicy | undefined;
  readonly signal: AbortSignal;
  /**
   * The step's own work.
   *
   * @param made the number of attempts before this attempt
   * @param isTransient returns true if the step may be repeated after an error, while retries are left
   */
  readonly work: (made: number, isTransient: (error: unknown) => boolean) => Result | Promise<Result>;
  /** The number of failed attempts at the step that are stored for a durable run. @default 0 */
  readonly made?: number | undefined;
  /** Returns true if the failed step may be repeated. */
  readonly mayRepeat?: (() => boolean) | undefined;
  /** Called before each repetition of the step. */
  readonly onRepeat?: () => Promise<void> | undefined;
};

/** The maximum delay of a timer, in milliseconds. */
const longestMs = 2 ** 31 - 1;

/** Error codes after which a step is not repeated, because every attempt would fail in the same way. */
const permanent: readonly ErrorCode[] = [
  "cancelled",
  "invalid_config",
  "invalid_value",
  "invalid_request",
  "unauthorized",
  "forbidden",
  "limit_exceeded",
  "context_too_long",
];

/**
 * Performs the work of a step and returns its result. The policy repeats it after transient errors. The last error is
 * thrown with the step's name added.
 */
export async function retryStep<Result>(attempts: StepRetryOptions<Result>): Promise<Result> {
  const { name, policy = { maxRetries: 0, backoffMs: 0 }, signal, work, mayRepeat, onRepeat, made = 0 } = attempts;
  const { maxRetries, backoffMs } = policy;
  // A stored failure is final. Stored failures that were followed by another attempt are only counted, in `made`.
  const isTransient = (error: unknown) =>
    !(error instanceof StoredFailure) && !permanent.includes(toTroupeError(error).code) && mayRepeat?.() !== false;
  const config = {
    maxRetries: Math.max(0, maxRetries - made),
    initialDelayMs: backoffMs * 2 ** made,
    maxDelayMs: Math.min(longestMs, backoffMs * 2 ** maxRetries),
    retryableErrors: isTransient,
  };
  const attempt = async (count: number): Promise<Result> => {
    const before = made + count - 1;
    if (before > 0) await onRepeat?.();
    return await work(before, isTransient);
  };
  try {
    return await withRetry(attempt, config, { signal });
  } catch (error) {
    throw createStepError(name, error);
  }
}

/** Makes the error of a failed step: the original error with the step's name in its message and fields. */
export function createStepError(name: string, thrown: unknown): TroupeError {
  const place = `The step ${JSON.stringify(name)}`;
  const { code, message, fields } = toTroupeError(thrown, undefined, place);
  const sentence = message.startsWith(`${place} failed: `) ? message : `${place} failed: ${message}`;
  return new WrapperError(code, sentence, { cause: thrown, fields: { ...fields, step: name } });
}
