import { ModelError, TroupeError } from "@troupe/core";
import { abortedError, getOwn, readRetryAfter } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import type { WireError } from "./wire-types.ts";

/** A failure that the vendor told of in place of an answer, or within one. */
export class VendorFailure extends Error {
  readonly status: number;
  readonly vendorCode: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(error: WireError, { status, headers }: { status?: number; headers?: Headers } = {}) {
    super(textOf(error.message) ?? "The vendor failed without a word.");
    const details = detailsOf(error);
    const keyFault = reasonOf(details).find((reason) => reason.startsWith("API_KEY_"));
    const told = status ?? statusOf(error);
    // A wrong key is a wrong argument to this vendor.
    this.status = keyFault !== undefined && told === 400 ? 401 : told;
    this.vendorCode = keyFault ?? textOf(error.status);
    this.retryAfterMs = (headers && readRetryAfter(headers)) ?? delayOf(details);
  }
}

/** An answer that ended before it was complete. */
export class CutAnswer extends Error {
  readonly code = "ECONNRESET";
}

/** Reads what a reply that is no success says. */
export async function readFailure({ status, headers, text }: FailedReply): Promise<VendorFailure> {
  // The status says most, also where the rest is cut.
  const body = await text().catch(() => "");
  return new VendorFailure(errorIn(body), { status, headers });
}

/** Whose call failed: the key that is to be kept out of the error, and the signal that may have ended it. */
export type FailedCall = { providerId: string; key: ResolvedKey | undefined; signal: AbortSignal | undefined };

/** Makes one error of whatever the vendor, its library or the network threw. */
export function toModelError(thrown: unknown, { providerId, key, signal }: FailedCall): TroupeError {
  if (signal?.aborted) return abortedError(signal.reason);
  // A redirect, or a request that cannot be sent: the pool's own sentence says how to mend it.
  if (TroupeError.is(thrown) && (thrown.code === "model_failed" || thrown.code === "invalid_request")) return thrown;
  const { status, vendorCode, retryAfterMs } = thrown instanceof VendorFailure ? thrown : noFacts;
  // What cannot be read was cut, or spoilt on its way.
  const networkCode = thrown instanceof SyntaxError ? "ECONNRESET" : undefined;
  return new ModelError({ providerId, key, status, vendorCode, retryAfterMs, networkCode, cause: thrown });
}

type FailedReply = { status: number; headers: Headers; text: () => Promise<string> };
type Detail = Record<string, unknown>;

const noFacts: { status?: number; vendorCode?: string; retryAfterMs?: number } = {};

/** What the vendor's words for a failure stand for, where no number comes with them. */
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

/** The error within a body: alone, or the only one of a list. What stands before a vendor answers with pages. */
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

/** "34.4s", in the detail that speaks of trying again. */
function delayOf(details: readonly Detail[]): number | undefined {
  const delay = details.map(({ retryDelay }) => textOf(retryDelay)).find((each) => each !== undefined);
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? "")?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
