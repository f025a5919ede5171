import { getOwn, readObject, readRetryAfter, readText } from "@troupe/core/kit";
import { VendorError } from "@troupe/core/provider";
import type { ErrorReply } from "@troupe/core/provider";

/** HTTP statuses by the names of Bedrock's exceptions, for exceptions within a stream, which have no status. */
const statuses: Readonly<Record<string, number>> = {
  ValidationException: 400,
  UnrecognizedClientException: 403,
  AccessDeniedException: 403,
  ResourceNotFoundException: 404,
  ModelTimeoutException: 408,
  ThrottlingException: 429,
  ModelNotReadyException: 429,
  InternalServerException: 500,
  // The vendor asks to repeat a request whose stream failed.
  ModelStreamErrorException: 500,
  ServiceUnavailableException: 503,
};

/**
 * Makes an error from a reply with an error status. Its body may be anything, because a proxy may have answered
 * instead.
 */
export function toVendorError(body: unknown, reply: ErrorReply): VendorError {
  const { __type: type, code } = readObject(body);
  const name = nameOf(reply.headers.get("x-amzn-errortype") || readText(type) || readText(code));
  return new VendorError({
    message: messageOf(body),
    status: reply.status,
    vendorCode: name === "" ? undefined : name,
    retryAfterMs: readRetryAfter(reply.headers),
  });
}

/** Makes an error from an exception within a stream. The first letter of its name may be small there. */
export function toStreamError(type: string, payload: unknown): VendorError {
  const name = nameOf(type);
  return new VendorError({
    message: messageOf(payload),
    status: getOwn(statuses, name),
    vendorCode: name === "" ? undefined : name,
  });
}

/** Returns the name of an exception without its namespace and without the address that may follow it. */
function nameOf(type: string): string {
  const name = type.split(":")[0]?.split("#").at(-1)?.trim() ?? "";
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function messageOf(body: unknown): string | undefined {
  const { message, Message: capital, error } = readObject(body);
  return [message, capital, readObject(error)["message"], body].map(readText).find((text) => text !== "");
}
