import { TroupeError } from "@troupe/core";
import type { Request } from "express";

/** Which part of a list is asked for. */
export type PageQuery = { limit: number | undefined; after: string | undefined };

const names = ["limit", "after"];

/** Reads `limit` and `after` of a query; anything else in it would have no effect and is refused. */
export function readPage(request: Request): PageQuery {
  // By hand: what Express makes of a query depends on the settings of the host.
  const start = request.url.indexOf("?");
  const query = new URLSearchParams(start === -1 ? "" : request.url.slice(start));
  for (const name of query.keys()) {
    if (!names.includes(name))
      throw refusal(`The query takes limit and after, and not ${JSON.stringify(name.slice(0, 64))}.`);
    if (query.getAll(name).length > 1) throw refusal(`The query may have ${name} once.`);
  }
  const limit = query.get("limit") ?? undefined;
  return { limit: limit === undefined ? undefined : toNumber(limit), after: query.get("after") ?? undefined };
}

/** A whole number out of digits alone; anything else is no number, and refused as such where it is used. */
export function toNumber(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

function refusal(sentence: string): TroupeError {
  return new TroupeError("invalid_request", sentence);
}
