import { ModelError, TroupeError } from "@troupe/core";
import { abortedError, getOwn, readObject, readRetryAfter, readText } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import type { WireFailure } from "./wire-types.ts";

/** HTTP statuses for the vendor's error types, for errors without a status. */
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
 * An error that Anthropic sent with status 200, in place of an answer or within a stream. `status` is the HTTP status
 * of its type, 500 for an unknown one. Internal: `toModelError` converts it.
 */
export class VendorError extends Error {
  readonly status: number;
  readonly type: string | undefined;

  constructor({ error }: WireFailure) {
    const { type, message } = readObject(error);
    super(readText(message ?? error) || "The vendor sent an error without a message.");
    this.type = textOf(type);
    this.status = getOwn(statuses, readText(type)) ?? 500;
  }
}

/**
 * An error for an answer that ended before it was complete. Its code is that of a lost connection, and it is treated as
 * one.
 */
export class TruncatedResponseError extends Error {
  readonly code = "ECONNRESET";
}

/**
 * The facts of one model call for `toModelError`: the provider to name, the key to mask in errors, and the signal,
 * whose abort takes precedence over the error.
 */
export type CallContext = { providerId: string; key: ResolvedKey; signal: AbortSignal | undefined };

/**
 * Converts any error of a model call to the error that the model throws: that of the abort when the signal aborted,
 * else a `ModelError` with the facts that the vendor, its library or the network gave.
 */
export function toModelError(thrown: unknown, { providerId, key, signal }: CallContext): TroupeError {
  if (signal?.aborted) return abortedError(signal.reason);
  // A redirect, or a request that cannot be sent: the error of the HTTP pool says what to do.
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

/** A body that is not JSON was truncated or damaged on its way. */
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
