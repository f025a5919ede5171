import type { ErrorCode } from "../../base/errors/troupe-error.ts";
import { getOwn } from "../../base/util/get-own.ts";

/** The HTTP status of each error code. A new code does not compile until it has a status here. */
const statusByCode = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  guardrail_blocked: 422,
  idempotency_mismatch: 422,
  limit_exceeded: 422,
  context_too_long: 422,
  rate_limited: 429,
  cancelled: 499,
  crashed: 500,
  internal: 500,
  invalid_config: 500,
  invalid_value: 500,
  model_failed: 502,
  structured_output_invalid: 502,
  interrupted: 503,
  storage_corrupt: 503,
  storage_unavailable: 503,
  unavailable: 503,
  timeout: 504,
} as const satisfies Record<ErrorCode, number>;

/** Returns the HTTP status of an error code. 500 for a code of another version of core. */
export function httpStatusOfCode(code: string): number {
  return getOwn<number>(statusByCode, code) ?? 500;
}
