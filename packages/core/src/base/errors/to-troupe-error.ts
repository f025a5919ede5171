import { readProperty } from "../util/read-property.ts";
import { abortedError } from "./aborted-error.ts";
import { thrownMessage } from "./thrown-message.ts";
import { TroupeError } from "./troupe-error.ts";
import { originOf, WrapperError } from "./wrapper-error.ts";

/**
 * Returns a `TroupeError` unchanged, except an `internal` error that has no place yet. Converts any other thrown value:
 * for an abort, and after `signal` aborted, to the error of `abortedError`; otherwise to `internal`. The thrown value
 * becomes the `cause`. With a `place`, such as `The hook beforeRun`, the message of `internal` names the place and
 * quotes the thrown message, because only the program gets it. Without a place the message is fixed.
 */
export function toTroupeError(thrown: unknown, signal?: AbortSignal, place?: string): TroupeError {
  if (TroupeError.is(thrown)) return hasNoPlace(thrown) ? unexpectedError(originOf(thrown), place) : thrown;
  if (signal?.aborted) return abortedError(signal.reason);
  return isAbort(thrown) ? abortedAt(abortReason(thrown), place) : unexpectedError(thrown, place);
}

/** Message of an `internal` error, instead of an original message that may contain secrets. */
export const internalMessage = "Something went wrong in this service.";

function unexpectedError(thrown: unknown, place: string | undefined): TroupeError {
  const message = place === undefined ? internalMessage : `${place} failed: ${thrownMessage(thrown)}`;
  return new WrapperError("internal", message, { cause: thrown });
}

function hasNoPlace(error: TroupeError): boolean {
  return error instanceof WrapperError && error.message === internalMessage;
}

/** Makes the error of an abort that occurred at a named place, such as the timeout of a request in a hook. */
function abortedAt(reason: unknown, place: string | undefined): TroupeError {
  const error = abortedError(reason);
  if (place === undefined || error === reason) return error;
  return new WrapperError(error.code, `${place} failed: ${error.message}`, { cause: reason });
}

function isAbort(thrown: unknown): boolean {
  const name = readProperty(thrown, "name");
  return name === "AbortError" || name === "TimeoutError";
}

/**
 * Returns the reason of an abort: the cause that Node functions store in their own `AbortError`, or the value itself.
 */
function abortReason(thrown: unknown): unknown {
  const cause = readProperty(thrown, "cause");
  return TroupeError.is(cause) || readProperty(cause, "name") === "TimeoutError" ? cause : thrown;
}
