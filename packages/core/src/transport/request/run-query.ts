import { TroupeError } from "../../base/errors/troupe-error.ts";

/** The query parameters of a run: `early` for its ids, and `onDisconnect` for the loss of its client's connection. */
export type RunQuery = {
  /** True if the client wants the ids of the run before its answer: `?early=1`. */
  readonly early: boolean;
  /** True if the run is cancelled when this client disconnects: `?onDisconnect=cancel`. */
  readonly endsWithClient: boolean;
};

const emptyQuery: RunQuery = { early: false, endsWithClient: false };

/**
 * Reads the query of a run: `early` and `onDisconnect`, each at most once.
 *
 * @param exchange the request, whose `search` is the query with its question mark
 */
export function readRunQuery({ search }: { readonly search: string }): RunQuery {
  // Fast path: most requests have no query.
  if (search === "") return emptyQuery;
  const query = new URLSearchParams(search);
  const early = query.getAll("early");
  if (!isOneOf(early, ["0", "1"])) throw invalid("early must be 1 or 0, once, such as ?early=1.");
  const onDisconnect = query.getAll("onDisconnect");
  if (!isOneOf(onDisconnect, ["cancel"])) throw invalid("onDisconnect must be cancel, once: ?onDisconnect=cancel.");
  return { early: early[0] === "1", endsWithClient: onDisconnect.length > 0 };
}

function isOneOf(values: readonly string[], allowed: readonly string[]): boolean {
  const [value, ...more] = values;
  return value === undefined || (more.length === 0 && allowed.includes(value));
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
