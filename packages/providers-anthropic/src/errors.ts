import { getOwn, readObject, readRetryAfter, readText } from "@troupe/core/kit";
import { VendorError } from "@troupe/core/provider";
import type { ErrorReply } from "@troupe/core/provider";

/** HTTP statuses by Anthropic's error types, for errors without a status. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/**
 * Makes an error from Anthropic's error object: in a reply with an error status, instead of an answer, or as an event.
 * The body of a reply may be anything, because a proxy may have answered instead.
 */
export function toVendorError(body: unknown, reply?: ErrorReply): VendorError {
  const { error, detail, message: plain } = readObject(body);
  const { type, message } = readObject(error);
  const word = readText(type);
  return new VendorError({
    message: [message, error, detail, plain, body].map(readText).find((text) => text !== "") ?? toJsonText(detail),
    status: reply?.status ?? getOwn(statuses, word),
    vendorCode: word === "" ? undefined : word,
    retryAfterMs: reply && readRetryAfter(reply.headers),
  });
}

/**
 * Returns the detail of an error as JSON text. A relay between Troupe and the vendor may list the faults of a request
 * there.
 */
function toJsonText(detail: unknown): string | undefined {
  return detail === undefined ? undefined : JSON.stringify(detail).slice(0, 2000);
}

/**
 * Converts an SDK error inside a stream, which has the vendor's event but no status. Returns other errors unchanged.
 */
export function toClientError(thrown: unknown): unknown {
  const { status, error } = readObject(thrown);
  return status === undefined && error !== undefined && error !== null ? toVendorError(error) : thrown;
}
