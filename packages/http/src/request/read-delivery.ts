import type { Exchange } from "@troupe/core/transport";

/** Returns true if the client wants an immediate answer and will fetch the result later: `Prefer: respond-async`. */
export function prefersAsync({ headers }: Pick<Exchange, "headers">): boolean {
  const { prefer } = headers;
  if (prefer === undefined) return false;
  const preferences = String(prefer).split(",");
  return preferences.some((each) => each.split(";", 1)[0]?.trim().toLowerCase() === "respond-async");
}

/**
 * Returns the id of the last event that a client has received, as browsers and client libraries send it; undefined if
 * absent.
 */
export function readLastEventId({ headers }: Pick<Exchange, "headers">): string | undefined {
  const id = headers["last-event-id"];
  return id === undefined || id === "" ? undefined : String(id);
}
