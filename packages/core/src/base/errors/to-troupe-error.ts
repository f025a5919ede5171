import { readProperty } from "../util/read-property.ts";
import { abortedError } from "./aborted-error.ts";
import { thrownMessage } from "./thrown-message.ts";
import { TroupeError } from "./troupe-error.ts";
import { originOf, WrapperError } from "./wrapper-error.ts";

/**
 * Returns a `TroupeError` unchanged and makes one of anything else thrown: `cancelled` or `timeout` for an abort, and
 * for any error after `signal` aborted; else `internal`. The thrown value stays as `cause`. A `place`, such as `The hook
 * beforeRun`, makes the message name it and quote the thrown one, which is for the program alone: without a place the
 * message of `internal` is fixed.
 */
export function toTroupeError(thrown: unknown, signal?: AbortSignal, place?: string): TroupeError {
  if (TroupeError.is(thrown)) return hasNoPlace(thrown) ? unexpectedError(originOf(thrown), place) : thrown;
  if (signal?.aborted) return abortedError(signal.reason);
  return isAbort(thrown) ? abortedAt(abortReason(thrown), place) : unexpectedError(thrown, place);
}

/** Message of an `internal` error, in place of an original message that may hold secrets. */
export const internalMessage = "Something went wrong in this service.";

function unexpectedError(thrown: unknown, place: string | undefined): TroupeError {
  const message = place === undefined ? internalMessage : `${place} failed: ${thrownMessage(thrown)}`;
  return new WrapperError("internal", message, { cause: thrown });
}

function hasNoPlace(error: TroupeError): boolean {
  return error instanceof WrapperError && error.message === internalMessage;
}

/** The error of an abort that came up at a place of its own, such as the timeout of a request in a hook. */
function abortedAt(reason: unknown, place: string | undefined): TroupeError {
  const error = abortedError(reason);
  if (place === undefined || error === reason) return error;
  return new WrapperError(error.code, `${place} failed: ${error.message}`, { cause: reason });
}

function isAbort(thrown: unknown): boolean {
  const name = readProperty(thrown, "name");
  return name === "AbortError" || name === "TimeoutError";
}

/** Returns the reason of an abort, which functions of Node keep as the cause of their own `AbortError`. */
function abortReason(thrown: unknown): unknown {
  const cause = readProperty(thrown, "cause");
  return TroupeError.is(cause) || readProperty(cause, "name") === "TimeoutError" ? cause : thrown;
}
