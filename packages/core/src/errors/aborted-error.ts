import { readProperty } from "../util/read-property.ts";
import { TroupeError } from "./troupe-error.ts";

/**
 * What work fails with that was ended by its signal: the signal's reason when that is a `TroupeError`, `timeout` when
 * time ran out, else `cancelled`.
 */
export function abortedError(reason: unknown): TroupeError {
  if (TroupeError.is(reason)) return reason;
  if (readProperty(reason, "name") === "TimeoutError") {
    return new TroupeError("timeout", "The time for this ran out.", { cause: reason });
  }
  return new TroupeError("cancelled", "This was cancelled.", { cause: reason });
}
