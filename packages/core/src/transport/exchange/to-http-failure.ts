import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ErrorCode } from "../../base/errors/troupe-error.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { getOwn } from "../../base/util/get-own.ts";
import { httpStatusOfCode } from "./http-status-of-code.ts";

/** An HTTP status and the error to send with it. */
export type HttpFailure = { status: number; error: TroupeError };

/**
 * Turns any thrown value into a status and an error for the client. A third-party error keeps its status only if its
 * author marked it for clients, as `http-errors` does. Every other error becomes `internal` with a fixed message.
 */
export function toHttpFailure(thrown: unknown): HttpFailure {
  const thirdParty = TroupeError.is(thrown) ? undefined : readThirdPartyError(thrown);
  if (thirdParty !== undefined) return thirdParty;
  const error = toTroupeError(thrown);
  return { status: httpStatusOfCode(error.code), error };
}

/** Fields of the errors of Express, body parsers and `http-errors`. */
type HttpError = {
  readonly status: number;
  /** True if the error's message was written for clients. */
  readonly expose: boolean;
  /** The kind of problem, as a body parser names it. */
  readonly type: string | undefined;
  readonly message: string;
};

const codeByStatus: Readonly<Record<string, ErrorCode>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  408: "timeout",
  409: "conflict",
  413: "payload_too_large",
  415: "unsupported_media_type",
  429: "rate_limited",
};

/** Messages for the problems of body parsers, whose own messages quote the body, which may contain an API key. */
const bodyProblems: Readonly<Record<string, string>> = {
  "entity.parse.failed": "The body is not valid JSON.",
  "entity.too.large": "The body is longer than this service accepts.",
  "encoding.unsupported": "The content encoding of the body is not supported. Send the body uncompressed.",
  "charset.unsupported": "The body must be in UTF-8.",
  "request.aborted": "The body broke off before its end.",
  "request.size.invalid": "The length of the body differs from its Content-Length.",
};

const messages: Readonly<Record<string, string>> = {
  invalid_request: "The request is malformed.",
  unauthorized: "Credentials are required.",
  forbidden: "This is not allowed.",
  not_found: "Nothing was found at this path.",
  timeout: "The request took too long.",
  conflict: "The request conflicts with another one.",
  payload_too_large: "The request is too large.",
  unsupported_media_type: "The media type of the request is not supported.",
  rate_limited: "Too many requests. Try again later.",
};

function readThirdPartyError(thrown: unknown): HttpFailure | undefined {
  // Express sets a status on the error for a path that cannot be decoded.
  if (thrown instanceof URIError) {
    const message = "The path has a broken percent escape. Encode it with encodeURIComponent.";
    return { status: 400, error: new TroupeError("invalid_request", message) };
  }
  const found = readHttpError(thrown);
  if (found === undefined) return undefined;
  const code = getOwn(codeByStatus, String(found.status)) ?? "invalid_request";
  return { status: found.status, error: new TroupeError(code, messageOf(found, code)) };
}

function messageOf({ type, expose, message }: HttpError, code: ErrorCode): string {
  if (type !== undefined) return getOwn(bodyProblems, type) ?? messages[code] ?? "";
  return expose && message !== "" ? message : (messages[code] ?? "");
}

/**
 * Reads an error with a status. A vendor's error may have a status too but has no `expose`, so it counts as a failure
 * of the service.
 */
function readHttpError(thrown: unknown): HttpError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { status, expose, type, message } = thrown as Partial<HttpError> & Error;
  if (typeof expose !== "boolean" || typeof status !== "number" || status < 400 || status > 499) return undefined;
  return { status, expose, type: typeof type === "string" ? type : undefined, message };
}
