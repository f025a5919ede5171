import { readProperty } from "../util/read-property.ts";
import { abortedError } from "./aborted-error.ts";
import { TroupeError } from "./troupe-error.ts";

/**
 * Makes a `TroupeError` of anything thrown. What an abort threw becomes `cancelled` or `timeout`; with the signal of the
 * work given, so does whatever was thrown once that signal had aborted. The rest becomes `internal` with a fixed message,
 * for it may quote a key, a prompt or a path; the thrown value stays as `cause`.
 */
export function toTroupeError(thrown: unknown, signal?: AbortSignal): TroupeError {
  if (TroupeError.is(thrown)) return thrown;
  if (signal?.aborted) return abortedError(signal.reason);
  if (isAbort(thrown)) return abortedError(abortReason(thrown));
  return new TroupeError("internal", internalMessage, { cause: thrown });
}

/** All that is said of a failure whose text is not ours. */
export const internalMessage = "Something went wrong in this service.";

function isAbort(thrown: unknown): boolean {
  const name = readProperty(thrown, "name");
  return name === "AbortError" || name === "TimeoutError";
}

/** Node's own functions throw an `AbortError` of theirs and keep the signal's reason as its cause. */
function abortReason(thrown: unknown): unknown {
  const cause = readProperty(thrown, "cause");
  return TroupeError.is(cause) || readProperty(cause, "name") === "TimeoutError" ? cause : thrown;
}
