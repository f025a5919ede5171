import type { VendorFailure, VendorReply, VendorRequest } from "../dialect.ts";
import { jsonReply } from "../replies.ts";
import { readGooglePath } from "./google-path.ts";

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  504: "DEADLINE_EXCEEDED",
};

/** Returns the body of an error, before an answer and within one. */
export function googleError({ status, message }: VendorFailure) {
  const name = statuses[status] ?? "UNAVAILABLE";
  return { code: status, message: message ?? `The request ended as ${name}.`, status: name };
}

/** Returns an error response. The Gemini API reports a wrong key as an invalid argument; Google Cloud does not. */
export function failAsGoogle(failure: VendorFailure, request: VendorRequest): VendorReply {
  if (failure.status === 401 && readGooglePath(request)?.isCloud !== true) return wrongKey(failure.message);
  const { retryAfterSeconds } = failure;
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${retryAfterSeconds}s` }];
  const error = { ...googleError(failure), ...(retryAfterSeconds !== undefined && { details }) };
  return jsonReply({ error }, failure.status);
}

function wrongKey(message = "API key not valid. Please pass a valid API key."): VendorReply {
  const details = [
    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID", domain: "googleapis.com" },
  ];
  return jsonReply({ error: { ...googleError({ status: 400, message }), details } }, 400);
}
