import { causesOf } from "../errors/causes-of.ts";
import { findErrorCode } from "../errors/find-error-code.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { readProperty } from "../util/read-property.ts";

/**
 * Returns true if another call may succeed: after HTTP 429 or 5xx, or a connection that broke or timed out. Returns
 * false for `cancelled` and `context_too_long`. Causes are examined too. It is the default of `retryableErrors`.
 */
export function isRetryable(error: unknown): boolean {
  // Some servers answer a request that is too long for the model with a 5xx status, as if they had failed.
  if (isCancelled(error) || (TroupeError.is(error) && error.code === "context_too_long")) return false;
  const status = findStatus(error);
  if (status !== undefined) return status === 429 || (status >= 500 && status <= 599);
  const code = findErrorCode(error);
  return code === "ECONNRESET" || code === "ETIMEDOUT";
}

/** Returns true if an error means that the work was cancelled: code `cancelled`, or the name `AbortError`. */
export function isCancelled(error: unknown): boolean {
  return (TroupeError.is(error) && error.code === "cancelled") || readProperty(error, "name") === "AbortError";
}

function findStatus(error: unknown): number | undefined {
  for (const cause of causesOf(error)) {
    for (const key of ["status", "statusCode", "status_code"]) {
      const status = readProperty(cause, key);
      if (typeof status === "number") return status;
    }
  }
  return undefined;
}
