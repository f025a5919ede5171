import { TroupeError } from "../errors/troupe-error.ts";
import { getOwn } from "../util/get-own.ts";
import { parseJson } from "./check-json.ts";
import type { Json } from "./json.ts";
import type { RequiredLease } from "./record-database.ts";

/** Returns whether a record of the namespace `locks` is a lease with this fencing token: `{ token: number, … }`. */
export function holdsToken(lease: Json | null, token: number): boolean {
  return lease !== null && typeof lease === "object" && getOwn(lease as Record<string, Json>, "token") === token;
}

/** Rejects a write under a lease that is no longer held, as `conflict`. Takes the stored lease, or `null` for none. */
export function checkLease(lease: Json | null, { key, token }: RequiredLease): void {
  if (holdsToken(lease, token)) return;
  throw new TroupeError("conflict", "The lease is no longer held: another process took it over. Try again.", {
    fields: { key },
  });
}

/** Rejects a write under a lease that is no longer held, like `checkLease`. Takes the stored lease as JSON text. */
export function checkLeaseText(text: unknown, required: RequiredLease): void {
  checkLease(text === null ? null : parseJson(text, { namespace: "locks", key: required.key }), required);
}
