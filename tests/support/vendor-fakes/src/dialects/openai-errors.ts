import type { VendorFailure, VendorReply } from "../dialect.ts";
import { jsonReply, retryAfterOf } from "../replies.ts";

const words: Readonly<Record<number, { type: string; code: string | null; message: string }>> = {
  400: { type: "invalid_request_error", code: null, message: "The request is invalid." },
  401: { type: "invalid_request_error", code: "invalid_api_key", message: "Incorrect API key provided." },
  404: { type: "invalid_request_error", code: "model_not_found", message: "The model does not exist." },
  429: { type: "requests", code: "rate_limit_exceeded", message: "Rate limit reached." },
};
const refused = { type: "invalid_request_error", code: null, message: "The request was refused." };
const failed = { type: "server_error", code: "server_error", message: "The server had an error." };

/** Returns the body of an error, the same in both APIs of OpenAI. */
export function openaiError({ status, message, param }: VendorFailure) {
  const { type, code, message: usual } = words[status] ?? (status < 500 ? refused : failed);
  return { message: message ?? usual, type, param: param ?? null, code };
}

/** Returns an error response. */
export function failAsOpenai(failure: VendorFailure): VendorReply {
  const headers = { "x-request-id": "req_1", ...retryAfterOf(failure) };
  return jsonReply({ error: openaiError(failure) }, failure.status, headers);
}
