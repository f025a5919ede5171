import { TroupeError } from "../errors/troupe-error.ts";
import { parseJson } from "./check-json.ts";
import { holdsToken } from "./holds-token.ts";
import type { Json } from "./json.ts";
import type { RequiredLease } from "./record-database.ts";

/** Refuses, as `conflict`, to write under a lease that is no longer held. Takes the stored lease, `null` when there is none. */
export function checkLease(lease: Json | null, { key, token }: RequiredLease): void {
  if (holdsToken(lease, token)) return;
  throw new TroupeError("conflict", "The lease is no longer held: another writer took it over.", { fields: { key } });
}

/** As `checkLease`, for a database: takes the text of the stored lease. */
export function checkLeaseText(text: unknown, required: RequiredLease): void {
  checkLease(text === null ? null : parseJson(text, { namespace: "locks", key: required.key }), required);
}
