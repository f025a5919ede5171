import { TroupeError } from "@troupe/core";
import type { Request } from "express";

/** The parameters of the query of a run: when its ids are sent, and whether it ends with its client's connection. */
export type RunQuery = {
  /** True if the client wants to know the ids of the run before its answer: `?early=1`. */
  readonly early: boolean;
  /** True if the run is to be cancelled when this client disconnects: `?onDisconnect=cancel`. */
  readonly endsWithClient: boolean;
};

const emptyQuery: RunQuery = { early: false, endsWithClient: false };

/** Visible ASCII, as far as a key of any storage reaches. */
const keyForm = /^[!-~]{1,255}$/;

/** Reads the query of a run: `early` and `onDisconnect`, each at most once. */
export function readRunQuery({ url }: Request): RunQuery {
  const start = url.indexOf("?");
  // Most have no query. Not Express's `query`, which depends on the settings of the host.
  if (start === -1) return emptyQuery;
  const query = new URLSearchParams(url.slice(start));
  const early = query.getAll("early");
  if (!isOneOf(early, ["0", "1"])) throw invalid("early must be 1 or 0, once, such as ?early=1.");
  const onDisconnect = query.getAll("onDisconnect");
  if (!isOneOf(onDisconnect, ["cancel"])) throw invalid("onDisconnect must be cancel, once: ?onDisconnect=cancel.");
  return { early: early[0] === "1", endsWithClient: onDisconnect.length > 0 };
}

/**
 * Returns the `Idempotency-Key` of a request, undefined if it has none. Throws `invalid_request` for one that is empty, too
 * long, sent twice or not of visible ASCII characters.
 */
export function readIdempotencyKey({ headers }: Request): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || (typeof key === "string" && keyForm.test(key))) return key;
  throw invalid("Idempotency-Key must be 1 to 255 visible ASCII characters without spaces, once, such as a new UUID.");
}

/** Returns true if the client wants an answer at once, and the result of the run later: `Prefer: respond-async`. */
export function prefersAsync({ headers }: Request): boolean {
  const { prefer } = headers;
  if (prefer === undefined) return false;
  const preferences = String(prefer).split(",");
  return preferences.some((each) => each.split(";", 1)[0]?.trim().toLowerCase() === "respond-async");
}

/** Returns the id of the last event that a client has seen, as its browser or library sends it, undefined for none. */
export function readLastEventId({ headers }: Request): string | undefined {
  const id = headers["last-event-id"];
  return id === undefined || id === "" ? undefined : String(id);
}

function isOneOf(values: readonly string[], allowed: readonly string[]): boolean {
  const [value, ...more] = values;
  return value === undefined || (more.length === 0 && allowed.includes(value));
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
