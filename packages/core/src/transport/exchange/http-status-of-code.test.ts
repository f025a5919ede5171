import { errorCodes } from "../../base/errors/troupe-error.ts";
import { expect, it } from "vitest";
import { httpStatusOfCode } from "./http-status-of-code.ts";

const statuses: Readonly<Record<string, number>> = {
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
};

it.each(Object.entries(statuses))("the code %s has the status %i", (code, status) => {
  expect(httpStatusOfCode(code)).toBe(status);
});

it("each code has a status, and no other has one", () => {
  expect(Object.keys(statuses).toSorted()).toEqual([...errorCodes].toSorted());
});

it.each(["", "of_a_later_version", "constructor", "__proto__", "toString", "Not_found"])(
  "the unknown code %j has the status 500",
  (code) => {
    expect(httpStatusOfCode(code)).toBe(500);
  },
);
