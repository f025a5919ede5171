import { getOwn } from "@troupe/core/adapter";

/** The error object in the vendor's JSON. Any field may be missing or of another type. */
export type WireError = { message?: unknown; type?: unknown; code?: unknown };

/** HTTP statuses for the vendor's error types, for errors without a status. */
const statusByWord: Readonly<Record<string, number>> = {
  invalid_prompt: 400,
  invalid_request_error: 400,
  context_length_exceeded: 400,
  invalid_api_key: 401,
  authentication_error: 401,
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  insufficient_quota: 429,
  too_many_requests: 429,
  overloaded_error: 503,
  service_unavailable: 503,
};

/**
 * An error that the vendor sent with status 200, in place of an answer or within its stream. `status` is the HTTP
 * status of its code, 500 for an unknown one. Internal: `toModelError` converts it.
 */
export class VendorError extends Error {
  readonly status: number;
  readonly vendorCode: string | undefined;

  constructor({ message, type, code }: WireError) {
    super(typeof message === "string" ? message : "The vendor sent an error without a message.");
    this.vendorCode = [code, type].find((word) => typeof word === "string");
    this.status = statusOf(code) ?? getOwn(statusByWord, this.vendorCode ?? "") ?? 500;
  }
}

/** Some servers put the status into the code. */
function statusOf(code: unknown): number | undefined {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

/** Creates a `VendorError` from the error field of an answer, which holds an object, a message alone, or nothing. */
export function toVendorError(error: unknown): VendorError {
  if (typeof error === "object" && error !== null) return new VendorError(error);
  return new VendorError({ message: error });
}

/**
 * An error for an answer that ended before it was complete. Its code is that of a lost connection, and it is treated as
 * one.
 */
export class TruncatedResponseError extends Error {
  // The code of a connection that was lost.
  readonly code = "ECONNRESET";

  constructor() {
    super("The answer ended before it was complete.");
  }
}
