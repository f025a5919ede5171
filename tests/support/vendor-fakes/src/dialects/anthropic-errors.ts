import type { VendorFailure, VendorReply } from "../dialect.ts";
import { jsonReply, retryAfterOf } from "../replies.ts";

const types: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** Returns the body of an error, before an answer and within one. */
export function anthropicError({ status, message }: VendorFailure) {
  const type = types[status] ?? "api_error";
  const usual = status === 529 ? "Overloaded" : `The request ended as ${type}.`;
  return { type: "error", error: { type, message: message ?? usual }, request_id: "req_1" };
}

/** Returns an error response. */
export function failAsAnthropic(failure: VendorFailure): VendorReply {
  return jsonReply(anthropicError(failure), failure.status, { "request-id": "req_1", ...retryAfterOf(failure) });
}
