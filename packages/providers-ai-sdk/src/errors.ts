import { TroupeError } from "@troupe/core";
import { getOwn, readObject, readObjects, readRetryAfter, readText } from "@troupe/core/kit";
import { TruncatedResponseError, VendorError } from "@troupe/core/provider";
import type { CallContext } from "@troupe/core/provider";

/** HTTP statuses by vendors' error types, for errors within a stream, which have no status. */
const statuses: Readonly<Record<string, number>> = {
  authentication_error: 401,
  insufficient_quota: 429,
  internalServerException: 500,
  invalid_request_error: 400,
  modelStreamErrorException: 424,
  overloaded_error: 529,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  server_error: 500,
  serviceUnavailableException: 503,
  throttlingException: 429,
  validationException: 400,
};

/** Returns true if a package of the AI SDK rejected a kind of content or a setting before it sent the request. */
export function isUnsupported(thrown: unknown): boolean {
  return isNamed(thrown, "UnsupportedFunctionalityError");
}

/**
 * Returns true for an error of the AI SDK with this name. Errors are recognised by name, because several copies of
 * the SDK may be loaded.
 */
function isNamed(thrown: unknown, name: string): boolean {
  return readText(readObject(thrown)["name"]) === `AI_${name}`;
}

/**
 * Converts an error of an AI SDK model: an `APICallError`, an error part of a stream (which may be the vendor's own
 * JSON), or an error of the SDK's own checks. Returns other errors unchanged.
 */
export function toVendorError(thrown: unknown, { providerId, key }: CallContext): unknown {
  if (isNamed(thrown, "APICallError")) return fromApiCallError(thrown as Error);
  if (isNamed(thrown, "LoadAPIKeyError") || isNamed(thrown, "LoadSettingError")) {
    const place = key === undefined ? "create the model with one" : "create the model with any key, or set withKey";
    const message = `${providerId} needs an API key or a setting that its package of the AI SDK did not find: ${place}.`;
    return new TroupeError("unauthorized", message, { fields: { vendor: providerId } });
  }
  if (isUnsupported(thrown)) return unsupported(thrown, providerId);
  if (isNamed(thrown, "InvalidPromptError")) {
    return new TroupeError("invalid_request", `The package of ${providerId} refuses the messages.`, {
      fields: { vendor: providerId },
    });
  }
  if (isDamaged(thrown)) return new TruncatedResponseError("sent an answer that could not be read");
  return thrown instanceof Error ? thrown : fromVendorJson(thrown);
}

/**
 * Returns true if an answer was not JSON, or did not have the vendor's form: it was truncated, or damaged in transit.
 */
function isDamaged(thrown: unknown): boolean {
  return ["JSONParseError", "TypeValidationError", "EmptyResponseBodyError", "InvalidResponseDataError"].some((name) =>
    isNamed(thrown, name),
  );
}

function fromApiCallError(error: Error): unknown {
  const { statusCode, cause } = readObject(error);
  // The request failed without an answer: the cause is a network error.
  if (typeof statusCode !== "number") return cause ?? error;
  if (statusCode >= 300) return fromErrorReply(error, statusCode);
  const isUnread = isDamaged(cause) || cause === undefined;
  return isUnread ? new TruncatedResponseError("sent an answer that could not be read") : cause;
}

/** Converts the error of a reply with an error status. */
function fromErrorReply(error: Error, status: number): VendorError {
  const { responseBody, responseHeaders, data } = readObject(error);
  const body = readText(responseBody);
  const details = readObjects(readObject(readObject(parse(body))["error"])["details"]);
  const keyFault = details.map(({ reason }) => readText(reason)).find((reason) => reason.startsWith("API_KEY_"));
  return new VendorError({
    message: body || error.message,
    // Google reports a wrong key as an invalid argument.
    status: keyFault !== undefined && status === 400 ? 401 : status,
    vendorCode: keyFault ?? codeOf(data),
    retryAfterMs: readRetryAfter(new Headers(stringsOf(responseHeaders))) ?? delayIn(details),
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the retry delay in milliseconds from the details of a Google error, such as "34.4s". */
function delayIn(details: readonly Record<string, unknown>[]): number | undefined {
  const delay = details.map(({ retryDelay }) => readText(retryDelay)).find((text) => text !== "");
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? "")?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

function stringsOf(headers: unknown): Record<string, string> {
  const entries = Object.entries(readObject(headers)).filter((entry) => typeof entry[1] === "string");
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Returns the error code in a vendor's JSON, which is often nested in `error`. */
function codeOf(data: unknown): string | undefined {
  const error = readObject(data)["error"] ?? data;
  const { code, type, status } = readObject(error);
  return [code, type, status].find((word) => typeof word === "string");
}

/** Makes an error from the JSON of a vendor's error event. */
function fromVendorJson(value: unknown): VendorError {
  const code = codeOf(value);
  const { message, code: number } = readObject(readObject(value)["error"] ?? value);
  const given = typeof number === "number" && number >= 400 && number <= 599 ? number : undefined;
  return new VendorError({
    message: readText(message) || (typeof value === "string" ? value : undefined),
    status: given ?? getOwn(statuses, code ?? ""),
    vendorCode: code,
  });
}

function unsupported(thrown: unknown, providerId: string): TroupeError {
  const what = readText(readObject(thrown)["functionality"]).toLowerCase();
  const isMedia = /media|file|image|audio|mime/.test(what);
  const part = isMedia ? "a kind of content" : "a setting";
  return new TroupeError(
    isMedia ? "unsupported_media_type" : "invalid_request",
    `The package of ${providerId} does not support ${part} of this call.`,
    { fields: { vendor: providerId } },
  );
}
