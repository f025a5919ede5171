import { getOwn } from "../util/get-own.ts";
import type { Json } from "./json.ts";

/** Says whether a record of the namespace `locks` is a lease with this fencing number: `{ token: number, … }`. */
export function holdsToken(lease: Json | null, token: number): boolean {
  return lease !== null && typeof lease === "object" && getOwn(lease as Record<string, Json>, "token") === token;
}
