import { TroupeError } from "@troupe/core";
import type { Exchange } from "@troupe/core/transport";

/** Visible ASCII characters, as many as the keys of every storage allow. */
const keyForm = /^[!-~]{1,255}$/;

/**
 * Returns the `Idempotency-Key` of a request, or undefined if it has none. Throws `invalid_request` if it is empty, too
 * long, sent twice, or has other characters than visible ASCII.
 */
export function readIdempotencyKey({ headers }: Pick<Exchange, "headers">): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || (typeof key === "string" && keyForm.test(key))) return key;
  throw invalid("Idempotency-Key must be 1 to 255 visible ASCII characters without spaces, once, such as a new UUID.");
}

/** Returns true if the client wants an answer at once, and the result of the run later: `Prefer: respond-async`. */
export function prefersAsync({ headers }: Pick<Exchange, "headers">): boolean {
  const { prefer } = headers;
  if (prefer === undefined) return false;
  const preferences = String(prefer).split(",");
  return preferences.some((each) => each.split(";", 1)[0]?.trim().toLowerCase() === "respond-async");
}

/** Returns the id of the last event that a client has seen, as its browser or library sends it, undefined for none. */
export function readLastEventId({ headers }: Pick<Exchange, "headers">): string | undefined {
  const id = headers["last-event-id"];
  return id === undefined || id === "" ? undefined : String(id);
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
