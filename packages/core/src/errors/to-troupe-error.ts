import { readProperty } from "../util/read-property.ts";
import { abortedError } from "./aborted-error.ts";
import { TroupeError } from "./troupe-error.ts";

/**
 * Returns a `TroupeError` unchanged and makes one of anything else thrown: `cancelled` or `timeout` for an abort, and
 * for any error after `signal` aborted; else `internal` with a fixed message, because the original may quote a key, a
 * prompt or a path. The thrown value stays as `cause`.
 */
export function toTroupeError(thrown: unknown, signal?: AbortSignal): TroupeError {
  if (TroupeError.is(thrown)) return thrown;
  if (signal?.aborted) return abortedError(signal.reason);
  if (isAbort(thrown)) return abortedError(abortReason(thrown));
  return new TroupeError("internal", internalMessage, { cause: thrown });
}

/** Message of an `internal` error, in place of an original message that may hold secrets. */
export const internalMessage = "Something went wrong in this service.";

function isAbort(thrown: unknown): boolean {
  const name = readProperty(thrown, "name");
  return name === "AbortError" || name === "TimeoutError";
}

/** Returns the reason of an abort, which functions of Node keep as the cause of their own `AbortError`. */
function abortReason(thrown: unknown): unknown {
  const cause = readProperty(thrown, "cause");
  return TroupeError.is(cause) || readProperty(cause, "name") === "TimeoutError" ? cause : thrown;
}
