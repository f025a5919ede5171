import { getOwn, readObject, readRetryAfter, readText } from "@troupe/core/kit";
import { VendorError } from "@troupe/core/provider";
import type { ErrorReply } from "@troupe/core/provider";

/** HTTP statuses for the vendor's words, for errors within a stream. */
const statuses: Readonly<Record<string, number>> = { bad_request: 400, bad_key: 401, too_many: 429, busy: 503 };

/** Makes the error of the vendor's `problem`: in a reply with an error status, in place of an answer, or as an event. */
export function toVendorError(body: unknown, reply?: ErrorReply): VendorError {
  const problem = readObject(readObject(body)["problem"]);
  const [kind, words] = [readText(problem["kind"]), readText(problem["words"])];
  return new VendorError({
    message: words === "" ? undefined : words,
    status: reply?.status ?? getOwn(statuses, kind),
    vendorCode: kind === "" ? undefined : kind,
    retryAfterMs: reply && readRetryAfter(reply.headers),
  });
}
