import { TroupeError } from "@troupe/core";
import type { Exchange } from "@troupe/core/transport";

/** Reads the query parameters, each at most once. Rejects unknown parameters. */
export function readQuery<Name extends string>(
  { search }: Pick<Exchange, "search">,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const query = new URLSearchParams(search);
  for (const name of query.keys()) {
    if (!names.some((each) => each === name)) {
      const shown = JSON.stringify(name.slice(0, 64));
      throw invalid(`Unknown parameter ${shown} in the query. Expected ${names.join(" or ") || "none"}.`);
    }
    if (query.getAll(name).length > 1) throw invalid(`The query must have ${name} once.`);
  }
  return Object.fromEntries(query) as Partial<Record<Name, string>>;
}

/** Reads a non-negative decimal integer. Returns NaN for anything else, which every later check rejects. */
export function toNumber(digits: string): number {
  return /^\d{1,15}$/.test(digits) ? Number(digits) : Number.NaN;
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
