import { ModelError, TroupeError } from "@troupe/core";
import { abortedError, getOwn, readRetryAfter } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import type { WireFailure } from "./wire-types.ts";

/** What each of the vendor's words for a failure stands for, where it comes without a status. */
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

/** A failure that the vendor told of in place of an answer, or within one. */
export class VendorFailure extends Error {
  readonly status: number;
  readonly type: string | undefined;

  constructor({ error: { type, message } = {} }: WireFailure) {
    super(message);
    this.type = type;
    this.status = getOwn(statuses, type ?? "") ?? 500;
  }
}

/** An answer that ended before it was complete. */
export class CutAnswer extends Error {
  readonly code = "ECONNRESET";
}

/** Whose call failed: the key that is to be kept out of the error, and the signal that may have ended it. */
export type FailedCall = { providerId: string; key: ResolvedKey; signal: AbortSignal | undefined };

/** Makes one error of whatever the vendor, its library or the network threw. */
export function toModelError(thrown: unknown, { providerId, key, signal }: FailedCall): TroupeError {
  if (signal?.aborted) return abortedError(signal.reason);
  // A redirect, or a request that cannot be sent: the pool's own sentence says how to mend it.
  const isSaid = TroupeError.is(thrown) && (thrown.code === "model_failed" || thrown.code === "invalid_request");
  if (isSaid) return thrown;
  return new ModelError({
    providerId,
    key,
    status: numberOf(fieldOf(thrown, "status")),
    vendorCode: textOf(fieldOf(thrown, "type")),
    networkCode: networkCodeOf(thrown),
    retryAfterMs: retryAfterOf(fieldOf(thrown, "headers")),
    cause: thrown,
  });
}

/** What is not found among the causes: what cannot be read was cut, or spoilt on its way. */
function networkCodeOf(thrown: unknown): string | undefined {
  return thrown instanceof SyntaxError ? "ECONNRESET" : undefined;
}

function retryAfterOf(headers: unknown): number | undefined {
  return headers instanceof Headers ? readRetryAfter(headers) : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
