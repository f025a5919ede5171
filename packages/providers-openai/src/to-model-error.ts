import { ModelError, TroupeError } from "@troupe/core";
import { readRetryAfter, toTroupeError } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";
import { VendorFailure } from "./vendor-failure.ts";

/** The call that failed. */
export type FailedCall = { key: ResolvedKey | undefined; signal: AbortSignal | undefined };

/** Makes the one error that leaves the provider of whatever a call threw. */
export function toModelError(error: unknown, { key, signal }: FailedCall): TroupeError {
  if (signal?.aborted) return toTroupeError(error, signal);
  const own = ownError(error);
  if (own !== undefined) return own;
  return new ModelError({ providerId, key, cause: error, ...factsOf(error) });
}

// The network's, and those of what came over it: they are the model's failures.
const foreign = ["unavailable", "timeout", "invalid_value"];

/** An error of ours that says all there is to say: of a redirect, or of what was asked. */
function ownError(error: unknown): TroupeError | undefined {
  const candidates = [error, (error as { cause?: unknown } | null)?.cause];
  return candidates.filter((each) => TroupeError.is(each)).find((each) => !foreign.includes(each.code));
}

function factsOf(error: unknown): {
  status?: number;
  vendorCode?: string | undefined;
  retryAfterMs?: number | undefined;
} {
  if (error instanceof VendorFailure) return { status: error.status, vendorCode: error.vendorCode };
  // What stands before a vendor answers with pages.
  if (error instanceof SyntaxError) return { status: 502 };
  // By its fields, not by its class: the library is not loaded for its errors.
  const { status, code, type, headers } = (error ?? {}) as LibraryError;
  if (typeof status !== "number") return {};
  return {
    status,
    vendorCode: [code, type].find((word) => typeof word === "string"),
    retryAfterMs: headers === undefined ? undefined : readRetryAfter(headers),
  };
}

/** The fields read of what the vendor's library throws. */
type LibraryError = {
  status?: unknown;
  code?: unknown;
  type?: unknown;
  param?: unknown;
  message?: unknown;
  headers?: Headers;
};

/** What the library says of a request that the vendor refused as it stands, else nothing. */
export function readRefusal(error: unknown): { message: string; param: string | undefined } | undefined {
  const { status, message, param } = (error ?? {}) as LibraryError;
  if (status !== 400) return undefined;
  return { message: String(message), param: typeof param === "string" ? param : undefined };
}
