import { TroupeError } from "@troupe/core";
import type { ErrorCode } from "@troupe/core";
import { httpStatusOfCode, toHttpFailure, toPublicFailure } from "@troupe/core/transport";
import type { Exchange, FailedRun } from "@troupe/core/transport";

/** An error in the shape of OpenAI's API. */
export type ApiErrorBody = {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string;
};

/** The facts that distinguish errors of the same code in this protocol. */
export type ApiErrorFacts = {
  /** The field of the request that is wrong, such as `messages[0].content`. */
  readonly param?: string | undefined;
  /** The code in OpenAI's API. @default the code of the error */
  readonly code?: string | undefined;
};

/** Makes the error for a wrong field in a request. */
export function wrongField(param: string, problem: string, code?: string): TroupeError {
  return apiError("invalid_request", `${param} ${problem}`, { param, code });
}

/** Makes an error with a code and a field of OpenAI's API. */
export function apiError(code: ErrorCode, message: string, { param, code: apiCode }: ApiErrorFacts = {}): TroupeError {
  const fields = { ...(param !== undefined && { param }), ...(apiCode !== undefined && { apiCode }) };
  return new TroupeError(code, message, { fields });
}

/** The types of errors in OpenAI's API, each with the lowest status that it applies to. */
const typeByStatus: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error",
};

/** The codes of errors after which a client may send the same request again. */
const repeatable: readonly ErrorCode[] = ["rate_limited", "unavailable", "storage_unavailable"];

/** The field of a request that has the form of the answer: in Chat Completions, and in Responses. */
type FormatParam = "response_format" | "text.format";

/** Field names in errors that come from a run's options, each with the field of the API that set it. */
const paramsOf = (formatParam: FormatParam): readonly (readonly [prefix: string, param: string])[] => [
  ["additions.clientTools", "tools"],
  ["additions.outputSchema", formatParam],
  ["modelOptions.toolChoice", "tool_choice"],
];

/**
 * Converts an error to the shape and the words of OpenAI's API: it names fields of the request, and no options of a
 * run. Leaves out details that are not for clients.
 */
export function toApiError(
  error: TroupeError,
  status = httpStatusOfCode(error.code),
  formatParam: FormatParam = "response_format",
): ApiErrorBody {
  const { message } = toPublicFailure(error);
  const { param, apiCode, field } = error.fields;
  const known = paramsOf(formatParam).find(([prefix]) => typeof field === "string" && field.startsWith(prefix));
  return {
    message: known === undefined ? message : toParam(message, known),
    type: typeByStatus[status] ?? (status < 500 ? "invalid_request_error" : "server_error"),
    param: typeof param === "string" ? param : known === undefined ? null : toParam(String(field), known),
    code: typeof apiCode === "string" ? apiCode : error.code,
  };
}

/** Returns a text that names a field of the API where the given text names an option of a run. */
function toParam(text: string, [prefix, param]: readonly [string, string]): string {
  return text.replace(prefix, param);
}

/** Answers a request of Chat Completions, or for models, with an error. */
export const failExchange = failing("response_format");

/** Answers a request of Responses with an error. */
export const failResponse = failing("text.format");

/**
 * Makes a function that answers a request with an error in the shape of OpenAI's API. A header tells the client if it
 * should retry.
 */
function failing(formatParam: FormatParam) {
  return (thrown: unknown, exchange: Exchange, run?: FailedRun): void => fail(thrown, { exchange, run, formatParam });
}

type Failing = {
  readonly exchange: Exchange;
  readonly run: FailedRun | undefined;
  readonly formatParam: FormatParam;
};

function fail(thrown: unknown, { exchange, run, formatParam }: Failing): void {
  const { status, error } = toHttpFailure(thrown);
  exchange.logFailure(error, run);
  if (exchange.isEnded) return;
  if (exchange.isHeadSent || exchange.isDestroyed) return exchange.destroy();
  exchange.setHeader("X-Should-Retry", String(repeatable.includes(error.code)));
  const { retryAfterMs } = error.fields;
  if (typeof retryAfterMs === "number") {
    exchange.setHeader("Retry-After", Math.ceil(retryAfterMs / 1000)).setHeader("Retry-After-Ms", retryAfterMs);
  }
  const body = JSON.stringify({ error: toApiError(error, status, formatParam) });
  const headers = {
    "Content-Type": "application/json; charset=utf-8",
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
  };
  exchange.refuse(status, headers, { body, isTooLarge: error.code === "payload_too_large" });
}
