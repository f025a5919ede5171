import { readProperty } from "../util/read-property.ts";
import { readContextExcess } from "./context-excess.ts";
import { abortedError } from "./aborted-error.ts";
import { ModelError } from "./model-error.ts";
import type { ModelFailure } from "./model-error.ts";
import { readRetryAfter } from "./read-retry-after.ts";
import { TroupeError } from "./troupe-error.ts";
import { ResponseError, VendorError } from "./vendor-error.ts";

/**
 * The facts of one model call: provider, API key, custom headers, and signal. Errors never show the key and the
 * headers. An abort of the signal takes precedence over any error.
 */
export type CallContext = {
  readonly providerId: string;
  readonly key?: { readonly value: string; readonly fromCaller: boolean } | undefined;
  /** Headers that the user of the provider set for this call. `null` removes a header of the provider. */
  readonly headers?: Readonly<Record<string, string | null>> | undefined;
  /**
   * Environment variables whose key was not sent, because the address is not the vendor's own. An error for a refused
   * call without a key names them.
   */
  readonly withheldKeys?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Returns the secrets of the vendor's SDK client that sends the request, such as its API key. Called when an error
   * occurs. Returns `undefined` if the client's key is unknown; errors then keep no text of the vendor.
   */
  readonly findSecrets?: (() => readonly string[] | undefined) | undefined;
};

// Codes of Troupe's own errors about the network or an unreadable body, which are converted like errors of the vendor.
const foreign: readonly string[] = ["unavailable", "timeout", "invalid_value"];

/**
 * Converts any error of a model call to the error that a provider throws. If the signal aborted, that is the abort
 * error; otherwise a `ModelError` with the facts of the vendor, its SDK or the network. Another `TroupeError`, thrown
 * or as the cause, is returned unchanged, unless its code is `unavailable`, `timeout` or `invalid_value`.
 */
export function toModelError(thrown: unknown, call: CallContext): TroupeError {
  const { providerId, key, headers, signal, findSecrets = noSecrets } = call;
  if (signal?.aborted) return abortedError(signal.reason);
  const own = [thrown, readProperty(thrown, "cause")].find(
    (each) => TroupeError.is(each) && !foreign.includes(each.code),
  );
  if (TroupeError.is(own)) return own;
  const found = findSecrets();
  return new ModelError({
    providerId,
    key,
    withheldKeys: call.withheldKeys,
    secrets: [...Object.values(headers ?? {}).filter((value) => value !== null), ...(found ?? [])],
    withText: found !== undefined,
    ...vendorFactsOf(thrown),
    happened: whatHappened(thrown),
    // A body that is not JSON was truncated or damaged in transit.
    networkCode: thrown instanceof SyntaxError ? "ECONNRESET" : undefined,
    cause: thrown,
  });
}

function whatHappened(thrown: unknown): string | undefined {
  if (thrown instanceof ResponseError) return thrown.happened;
  return thrown instanceof VendorError && !thrown.hasStatus ? "answered with an error" : undefined;
}

const noSecrets = (): readonly string[] => [];

/**
 * Reads the facts of a `VendorError`, or of an error of a vendor's SDK, by its fields, because the SDK may be any copy
 * or version. An error without a status has no facts.
 */
function vendorFactsOf(
  thrown: unknown,
): Pick<ModelFailure, "status" | "vendorCode" | "retryAfterMs" | "contextExcess"> {
  const status = numberOf(thrown, "status") ?? numberOf(thrown, "status_code");
  if (status === undefined) return {};
  const vendorCode = wordOf(thrown, "vendorCode") ?? wordOf(thrown, "code") ?? wordOf(thrown, "type");
  return {
    status,
    vendorCode,
    contextExcess: readContextExcess(thrown, vendorCode),
    retryAfterMs: numberOf(thrown, "retryAfterMs") ?? retryAfterOf(thrown),
  };
}

function retryAfterOf(thrown: unknown): number | undefined {
  const headers = readProperty(thrown, "headers");
  return typeof readProperty(headers, "get") === "function" ? readRetryAfter(headers as Headers) : undefined;
}

function numberOf(thrown: unknown, name: string): number | undefined {
  const value = readProperty(thrown, name);
  return typeof value === "number" ? value : undefined;
}

function wordOf(thrown: unknown, name: string): string | undefined {
  const value = readProperty(thrown, name);
  return typeof value === "string" ? value : undefined;
}
