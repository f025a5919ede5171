import { TroupeError } from "../../base/errors/troupe-error.ts";
import { getOwn } from "../../base/util/get-own.ts";
import { parseJson } from "./check-json.ts";
import type { Json } from "./json.ts";
import type { RequiredLease } from "./record-database.ts";

/**
 * Returns true if a session's stored queue in the namespace `locks` has this fencing token. A missing queue is `null`.
 */
export function holdsToken(lease: Json | null, token: number): boolean {
  return lease !== null && typeof lease === "object" && getOwn(lease as Record<string, Json>, "token") === token;
}

/**
 * Throws `conflict` unless the stored queue still has the required fencing token. Takes the queue's record, or `null`
 * if it is missing.
 */
function checkLease(lease: Json | null, { key, token }: RequiredLease): void {
  if (holdsToken(lease, token)) return;
  throw new TroupeError("conflict", "The lease is no longer held: another process took it over. Try again.", {
    fields: { key },
  });
}

/**
 * Throws `conflict` unless the stored queue still has the required fencing token. Takes the queue's record as JSON
 * text, or `null` if it is missing.
 */
export function checkLeaseRecord(text: unknown, required: RequiredLease): void {
  checkLease(text === null ? null : parseJson(text, { namespace: "locks", key: required.key }), required);
}
