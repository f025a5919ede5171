import { readProperty } from "../util/read-property.ts";
import { TroupeError } from "./troupe-error.ts";
import { WrapperError } from "./wrapper-error.ts";

/**
 * Makes the error to throw when a signal aborted, from its reason: the reason itself if it is a `TroupeError`,
 * `timeout` for a `TimeoutError`, else `cancelled`.
 */
export function abortedError(reason: unknown): TroupeError {
  if (TroupeError.is(reason)) return reason;
  if (readProperty(reason, "name") === "TimeoutError") {
    return new WrapperError("timeout", "The operation timed out.", { cause: reason });
  }
  return new WrapperError("cancelled", "The operation was cancelled.", { cause: reason });
}
