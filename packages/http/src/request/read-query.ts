import { TroupeError } from "@troupe/core";
import type { Request } from "express";

/** Reads the parameters of a query, each at most once. Any other would have no effect and is refused. */
export function readQuery<Name extends string>(
  request: Request,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  // Not Express's `query`, which depends on the settings of the host.
  const start = request.url.indexOf("?");
  const query = new URLSearchParams(start === -1 ? "" : request.url.slice(start));
  for (const name of query.keys()) {
    if (!names.some((each) => each === name)) {
      const shown = JSON.stringify(name.slice(0, 64));
      throw invalid(`Unknown parameter ${shown} in the query. Expected ${names.join(" or ") || "none"}.`);
    }
    if (query.getAll(name).length > 1) throw invalid(`The query must have ${name} once.`);
  }
  return Object.fromEntries(query) as Partial<Record<Name, string>>;
}

/** Reads an integer of digits alone. Anything else becomes NaN, which no limit and no number of a turn is. */
export function toNumber(digits: string): number {
  return /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
