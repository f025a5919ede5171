import type { VendorFailure, VendorReply } from "./dialect.ts";

/** A reply of one JSON document. */
export function jsonReply(body: unknown, status = 200, headers: Record<string, string> = {}): VendorReply {
  return { status, headers: { "content-type": "application/json", ...headers }, frames: [JSON.stringify(body)] };
}

/** The header that says when to come back, if the failure says so. */
export function retryAfterOf({ retryAfterSeconds }: VendorFailure): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
}
