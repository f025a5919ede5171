import { getOwn } from "@troupe/core/adapter";

/** What vendors put into an error, wherever it comes: any of it may be missing or of another type. */
export type WireError = { message?: unknown; type?: unknown; code?: unknown };

/** The statuses that the vendor's own words stand for, where none comes with them. */
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

/** An error that the vendor tells of in place of an answer, or within its stream. */
export class VendorFailure extends Error {
  readonly status: number;
  readonly vendorCode: string | undefined;

  constructor({ message, type, code }: WireError) {
    super(typeof message === "string" ? message : "The vendor failed without a word.");
    this.vendorCode = [code, type].find((word) => typeof word === "string");
    this.status = statusOf(code) ?? getOwn(statusByWord, this.vendorCode ?? "") ?? 500;
  }
}

/** Some servers put the status where others put a word. */
function statusOf(code: unknown): number | undefined {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

/** The failure that a vendor tells of: an object with a message, its message alone, or nothing at all. */
export function toVendorFailure(error: unknown): VendorFailure {
  if (typeof error === "object" && error !== null) return new VendorFailure(error);
  return new VendorFailure({ message: error });
}

/** An answer whose end never came. */
export class TruncatedAnswer extends Error {
  // As a network calls it: the rest was lost on the way.
  readonly code = "ECONNRESET";

  constructor() {
    super("The answer ended before it was complete.");
  }
}
