import { getOwn, sumCounts, readObject, readRetryAfter } from "@troupe/core/kit";
import { VendorError } from "@troupe/core/provider";
import type { ErrorReply } from "@troupe/core/provider";

/** The error object in OpenAI's JSON. Any field may be missing or of another type. */
export type WireError = { message?: unknown; type?: unknown; code?: unknown; param?: unknown; n_ctx?: unknown };

/** HTTP statuses by OpenAI's error types, for errors without a status. */
const statuses: Readonly<Record<string, number>> = {
  invalid_prompt: 400,
  invalid_request_error: 400,
  context_length_exceeded: 400,
  invalid_api_key: 401,
  authentication_error: 401,
  rate_limit_exceeded: 429,
  rate_limit_error: 429,
  insufficient_quota: 429,
  too_many_requests: 429,
  overloaded_error: 503,
  service_unavailable: 503,
};

/** An error that names the refused parameter in the field `param`, as errors of OpenAI's SDK do. */
class ParameterError extends VendorError {
  readonly param: unknown;

  constructor(facts: ConstructorParameters<typeof VendorError>[0], param: unknown) {
    super(facts);
    this.param = param;
  }
}

/**
 * Makes an error from the vendor's JSON: the body of a reply with an error status, an answer, an event, or the error
 * field of one of these. Other servers send the fields of the error without `error` around them, or only a message. If
 * a proxy has answered, the body may have any form.
 */
export function toVendorError(body: unknown, reply?: ErrorReply): VendorError {
  const error = readObject(body)["error"] ?? body;
  const { message, type, code, param, n_ctx: context }: WireError = isObject(error) ? error : { message: error };
  const word = [code, type].find((each) => typeof each === "string");
  const facts = {
    message: messageOf(error, message),
    status: reply?.status ?? statusOf(code) ?? getOwn(statuses, word ?? ""),
    vendorCode: word,
    retryAfterMs: reply && readRetryAfter(reply.headers),
    // `n_ctx` is a field of llama.cpp.
    contextLimit: sumCounts(context),
  };
  return new ParameterError(facts, param);
}

function messageOf(error: unknown, message: unknown): string | undefined {
  if (typeof message === "string") return message;
  return isObject(error) ? JSON.stringify(error) : undefined;
}

/**
 * Converts an SDK error inside a stream, which has the vendor's object but no status. Returns other errors unchanged.
 */
export function toClientError(thrown: unknown): unknown {
  const { status, error } = readObject(thrown);
  return status === undefined && isObject(error) ? toVendorError(error) : thrown;
}

/**
 * Returns the message and the parameter of an error with status 400, after which a weaker request may succeed. Returns
 * `undefined` for any other error. SDK errors are recognised by their fields, because the host may use any copy or
 * version of the SDK.
 */
export function readRefusal(error: unknown): { message: string; param: string | undefined } | undefined {
  const { status, message, param } = (error ?? {}) as { status?: unknown; message?: unknown; param?: unknown };
  if (status !== 400) return undefined;
  return { message: String(message), param: typeof param === "string" ? param : undefined };
}

/** Returns the HTTP status that some servers put in the error code. */
function statusOf(code: unknown): number | undefined {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
