import { ModelError, TroupeError } from "@troupe/core";
import { abortedError, getOwn, readRetryAfter } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import type { WireError } from "./wire-types.ts";

/**
 * An error that Gemini sent in place of an answer or within one. Internal: `toModelError` converts it to the error that
 * users see.
 */
export class VendorError extends Error {
  readonly status: number;
  readonly vendorCode: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(error: WireError, { status, headers }: { status?: number; headers?: Headers } = {}) {
    super(textOf(error.message) ?? "The vendor sent an error without a message.");
    const details = detailsOf(error);
    const keyFault = reasonOf(details).find((reason) => reason.startsWith("API_KEY_"));
    const sent = status ?? statusOf(error);
    // This vendor calls a wrong key an invalid argument.
    this.status = keyFault !== undefined && sent === 400 ? 401 : sent;
    this.vendorCode = keyFault ?? textOf(error.status);
    this.retryAfterMs = (headers && readRetryAfter(headers)) ?? delayOf(details);
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
 * Reads a response with an error status into a `VendorError`. An unreadable body is no failure: the status is enough.
 */
export async function readVendorError({ status, headers, text }: ErrorResponse): Promise<VendorError> {
  // Without a readable body, the status is enough.
  const body = await text().catch(() => "");
  return new VendorError(errorIn(body), { status, headers });
}

/**
 * The facts of one model call for `toModelError`: the provider to name, the key to mask in errors, and the signal,
 * whose abort takes precedence over the error.
 */
export type CallContext = { providerId: string; key: ResolvedKey | undefined; signal: AbortSignal | undefined };

/**
 * Converts any error of a model call to the error that the model throws: that of the abort when the signal aborted,
 * else a `ModelError` with the facts that the vendor, its library or the network gave.
 */
export function toModelError(thrown: unknown, { providerId, key, signal }: CallContext): TroupeError {
  if (signal?.aborted) return abortedError(signal.reason);
  // A redirect, or a request that cannot be sent: the error of the HTTP pool says what to do.
  if (TroupeError.is(thrown) && (thrown.code === "model_failed" || thrown.code === "invalid_request")) return thrown;
  const { status, vendorCode, retryAfterMs } = thrown instanceof VendorError ? thrown : noFacts;
  // A body that is not JSON was truncated or damaged on its way.
  const networkCode = thrown instanceof SyntaxError ? "ECONNRESET" : undefined;
  return new ModelError({ providerId, key, status, vendorCode, retryAfterMs, networkCode, cause: thrown });
}

type ErrorResponse = { status: number; headers: Headers; text: () => Promise<string> };
type Detail = Record<string, unknown>;

const noFacts: { status?: number; vendorCode?: string; retryAfterMs?: number } = {};

/** HTTP statuses for the vendor's status names, for errors without a number. */
const statuses: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};

/** Finds the error in a body: alone, or in an array. A proxy may have answered with a page of HTML. */
function errorIn(text: string): WireError {
  try {
    const [body] = [JSON.parse(text) as unknown].flat();
    return (body as { error?: WireError } | null)?.error ?? { message: text };
  } catch {
    return { message: text };
  }
}

function statusOf({ code, status }: WireError): number {
  const isHttp = typeof code === "number" && code >= 400 && code <= 599;
  return isHttp ? code : (getOwn(statuses, textOf(status) ?? "") ?? 500);
}

function detailsOf({ details }: WireError): Detail[] {
  const listed: unknown[] = Array.isArray(details) ? details : [];
  return listed.filter((each): each is Detail => typeof each === "object" && each !== null);
}

function reasonOf(details: readonly Detail[]): string[] {
  return details.flatMap(({ reason }) => textOf(reason) ?? []);
}

/** Reads the delay of a retry detail, like "34.4s", in milliseconds. */
function delayOf(details: readonly Detail[]): number | undefined {
  const delay = details.map(({ retryDelay }) => textOf(retryDelay)).find((each) => each !== undefined);
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? "")?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
