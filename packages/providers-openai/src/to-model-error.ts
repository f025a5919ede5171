import { ModelError, TroupeError } from "@troupe/core";
import { readRetryAfter, toTroupeError } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";
import { VendorError } from "./vendor-error.ts";

/**
 * The facts of one model call for `toModelError`: the key to mask in errors, and the signal, whose abort takes
 * precedence over the error.
 */
export type CallContext = { key: ResolvedKey | undefined; signal: AbortSignal | undefined };

/**
 * Converts any error of a model call to the error that the model throws: that of the abort when the signal aborted,
 * else a `ModelError` with the facts that the vendor, its library or the network gave.
 */
export function toModelError(error: unknown, { key, signal }: CallContext): TroupeError {
  if (signal?.aborted) return toTroupeError(error, signal);
  const own = ownError(error);
  if (own !== undefined) return own;
  return new ModelError({ providerId, key, cause: error, ...factsOf(error) });
}

// Errors of the network and of a body that cannot be read count as failures of the model.
const foreign = ["unavailable", "timeout", "invalid_value"];

/** A redirect, or a request that cannot be sent: the error says what to do. */
function ownError(error: unknown): TroupeError | undefined {
  const candidates = [error, (error as { cause?: unknown } | null)?.cause];
  return candidates.filter((each) => TroupeError.is(each)).find((each) => !foreign.includes(each.code));
}

function factsOf(error: unknown): {
  status?: number;
  vendorCode?: string | undefined;
  retryAfterMs?: number | undefined;
} {
  if (error instanceof VendorError) return { status: error.status, vendorCode: error.vendorCode };
  // A proxy may have answered with a page of HTML.
  if (error instanceof SyntaxError) return { status: 502 };
  // Recognised by its fields, since the library may not be loaded.
  const { status, code, type, headers } = (error ?? {}) as LibraryError;
  if (typeof status !== "number") return {};
  return {
    status,
    vendorCode: [code, type].find((word) => typeof word === "string"),
    retryAfterMs: headers === undefined ? undefined : readRetryAfter(headers),
  };
}

/** The used fields of the library's errors. */
type LibraryError = {
  status?: unknown;
  code?: unknown;
  type?: unknown;
  param?: unknown;
  message?: unknown;
  headers?: Headers;
};

/**
 * Returns message and parameter of an error with status 400, after which a weaker request may be tried. `undefined` for
 * any other error.
 */
export function readRefusal(error: unknown): { message: string; param: string | undefined } | undefined {
  const { status, message, param } = (error ?? {}) as LibraryError;
  if (status !== 400) return undefined;
  return { message: String(message), param: typeof param === "string" ? param : undefined };
}
