import { TroupeError } from "./troupe-error.ts";
import type { ErrorCode, TroupeErrorOptions } from "./troupe-error.ts";

/**
 * An error that says where another one came up, such as in which hook or step, or with what output of a run. Its cause is
 * the original error: a wrapper of a wrapper has the same one, so that causes of ours never form a chain.
 */
export class WrapperError extends TroupeError {
  constructor(code: ErrorCode, message: string, options: TroupeErrorOptions = {}) {
    super(code, message, { ...options, cause: originOf(options.cause) });
  }
}

/** Returns the error that a wrapper wraps, and any other value itself. */
export function originOf(error: unknown): unknown {
  return error instanceof WrapperError && error.cause !== undefined ? error.cause : error;
}
