import { readProperty } from "../util/read-property.ts";
import { TroupeError } from "./troupe-error.ts";
import { WrapperError } from "./wrapper-error.ts";

/**
 * Makes the error to throw after a signal aborted, from the signal's reason. It is the reason itself if that is a
 * `TroupeError`, `timeout` for a `TimeoutError`, otherwise `cancelled`.
 */
export function abortedError(reason: unknown): TroupeError {
  if (TroupeError.is(reason)) return reason;
  if (readProperty(reason, "name") === "TimeoutError") {
    return new WrapperError("timeout", "The operation timed out.", { cause: reason });
  }
  return new WrapperError("cancelled", "The operation was cancelled.", { cause: reason });
}
