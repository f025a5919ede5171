import type { IncomingHttpHeaders } from "node:http";
import { TroupeError } from "../../base/errors/troupe-error.ts";

/** The form of an idempotency key: visible ASCII characters, as many as the keys of every storage allow. */
const keyForm = /^[!-~]{1,255}$/;

/**
 * Returns the `Idempotency-Key` of a request, or undefined if it has none. Throws `invalid_request` if it is empty, too
 * long, sent twice, or has other characters than visible ASCII.
 */
export function readIdempotencyKey({ headers }: { readonly headers: IncomingHttpHeaders }): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || (typeof key === "string" && keyForm.test(key))) return key;
  const problem = "Idempotency-Key must be 1 to 255 visible ASCII characters without spaces, once, such as a new UUID.";
  throw new TroupeError("invalid_request", problem);
}
