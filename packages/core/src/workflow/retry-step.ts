import { toTroupeError } from "../errors/to-troupe-error.ts";
import type { TroupeError } from "../errors/troupe-error.ts";
import type { ErrorCode } from "../errors/troupe-error.ts";
import { WrapperError } from "../errors/wrapper-error.ts";
import { withRetry } from "../retry/with-retry.ts";
import type { RetryPolicy } from "./workflow-config.ts";

/** Parameters of `retryStep`: the step's name and work, its retry policy and signal, and callbacks for each repetition. */
export type StepRetryOptions<Result> = {
  readonly name: string;
  readonly policy: RetryPolicy | undefined;
  readonly signal: AbortSignal;
  /** The step's own work. */
  readonly work: () => Result | Promise<Result>;
  /** Tells whether the failed step may be repeated. */
  readonly mayRepeat?: (() => boolean) | undefined;
  /** Called before each repetition. */
  readonly onRepeat?: () => Promise<void> | undefined;
};

/** The longest wait of a timer, in milliseconds. */
const longestMs = 2 ** 31 - 1;

/** Errors that every other attempt would meet again. */
const permanent: readonly ErrorCode[] = [
  "cancelled",
  "invalid_config",
  "invalid_value",
  "invalid_request",
  "unauthorized",
  "forbidden",
  "limit_exceeded",
];

/**
 * Does the work of a step and returns its result, repeating it by the policy after errors that may pass. The last error
 * is thrown with the step's name added.
 */
export async function retryStep<Result>(attempts: StepRetryOptions<Result>): Promise<Result> {
  const { name, policy = { maxRetries: 0, backoffMs: 0 }, signal, work, mayRepeat, onRepeat } = attempts;
  const { maxRetries, backoffMs } = policy;
  const config = {
    maxRetries,
    initialDelayMs: backoffMs,
    maxDelayMs: Math.min(longestMs, backoffMs * 2 ** maxRetries),
    retryableErrors: (error: unknown) => !permanent.includes(toTroupeError(error).code) && mayRepeat?.() !== false,
  };
  const attempt = async (count: number): Promise<Result> => {
    if (count > 1) await onRepeat?.();
    return await work();
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
