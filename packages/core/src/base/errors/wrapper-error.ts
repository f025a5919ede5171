import { TroupeError } from "./troupe-error.ts";
import type { ErrorCode, TroupeErrorOptions } from "./troupe-error.ts";

/**
 * An error that adds to another error the place where it occurred, such as a hook or step, or a run's output. Its cause
 * is the original error: a wrapper of a wrapper has the same cause, so that Troupe's own errors never form a chain of
 * causes.
 */
export class WrapperError extends TroupeError {
  constructor(code: ErrorCode, message: string, options: TroupeErrorOptions = {}) {
    super(code, message, { ...options, cause: originOf(options.cause) });
  }
}

/** Returns the error that a wrapper wraps, or any other value unchanged. */
export function originOf(error: unknown): unknown {
  return error instanceof WrapperError && error.cause !== undefined ? error.cause : error;
}
