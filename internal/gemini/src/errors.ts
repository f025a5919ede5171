import { getOwn, readRetryAfter } from "@troupe/core/kit";
import { VendorError } from "@troupe/core/provider";
import type { ErrorReply } from "@troupe/core/provider";
import type { WireError } from "./wire-types.ts";

type Detail = Record<string, unknown>;

/** HTTP statuses by Gemini's status names, for errors without an HTTP status. */
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

/**
 * Converts the error in a body of Gemini, parsed or as text, to a `VendorError`. The body may come from a reply with an
 * error status, an answer, or an event.
 */
export function toVendorError(body: unknown, reply?: ErrorReply): VendorError {
  const error = errorIn(body);
  const details = detailsOf(error);
  const keyFault = reasonOf(details).find((reason) => reason.startsWith("API_KEY_"));
  const sent = reply?.status ?? statusOf(error);
  return new VendorError({
    message: textOf(error.message),
    // Gemini reports a wrong key as an invalid argument.
    status: keyFault !== undefined && sent === 400 ? 401 : sent,
    vendorCode: keyFault ?? textOf(error.status),
    retryAfterMs: (reply && readRetryAfter(reply.headers)) ?? delayOf(details),
  });
}

/**
 * Finds the error in the body of a reply, alone or in an array. If the body is not an object, such as a proxy's HTML
 * page, it becomes the error's message.
 */
function errorIn(body: unknown): WireError {
  const [first] = [body].flat();
  const error: unknown = isObject(first) ? (first["error"] ?? first) : first;
  return isObject(error) ? error : { message: error };
}

function statusOf({ code, status }: WireError): number {
  const isHttp = typeof code === "number" && code >= 400 && code <= 599;
  return isHttp ? code : (getOwn(statuses, textOf(status) ?? "") ?? 500);
}

function detailsOf({ details }: WireError): Detail[] {
  return (Array.isArray(details) ? details : []).filter(isObject);
}

function reasonOf(details: readonly Detail[]): string[] {
  return details.flatMap(({ reason }) => textOf(reason) ?? []);
}

/** Returns the retry delay in an error's details, like "34.4s", in milliseconds. */
function delayOf(details: readonly Detail[]): number | undefined {
  const delay = details.map(({ retryDelay }) => textOf(retryDelay)).find((each) => each !== undefined);
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? "")?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isObject(value: unknown): value is Detail {
  return typeof value === "object" && value !== null;
}
