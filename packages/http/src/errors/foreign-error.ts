import { TroupeError } from "@troupe/core";
import type { ErrorCode } from "@troupe/core";
import { getOwn } from "@troupe/core/adapter";
import type { Failure } from "./failure.ts";

/** The fields by which errors of Express and of what stands before the router are known. */
type HttpError = {
  readonly status: number;
  /** Whether the message was written for clients. */
  readonly expose: boolean;
  /** What a body parser calls its problem. */
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

/** Our words for the problems of body parsers: theirs quote the body, in which a key may stand. */
const bodyProblems: Readonly<Record<string, string>> = {
  "entity.parse.failed": "The body is not valid JSON.",
  "entity.too.large": "The body is longer than this service takes.",
  "encoding.unsupported": "The body has a content encoding that is not taken: send it uncompressed.",
  "charset.unsupported": "The body must be in UTF-8.",
  "request.aborted": "The body broke off.",
  "request.size.invalid": "The body is not as long as its Content-Length says.",
};

const sentences: Readonly<Record<string, string>> = {
  invalid_request: "The request is malformed.",
  unauthorized: "This needs credentials.",
  forbidden: "This is not allowed.",
  not_found: "There is nothing here.",
  timeout: "The request took too long.",
  conflict: "The request is in conflict with another.",
  payload_too_large: "The request is too large.",
  unsupported_media_type: "The request has a type that is not taken.",
  rate_limited: "There are too many requests.",
};

/** Reads an error of Express, of a body parser or of the host's own making (`http-errors`), if it is the client's to mend. */
export function readForeignError(thrown: unknown): Failure | undefined {
  // Express gives the status to what fails to decode a path.
  if (thrown instanceof URIError) {
    return { status: 400, error: new TroupeError("invalid_request", "The path holds a broken percent escape.") };
  }
  const found = readHttpError(thrown);
  if (found === undefined) return undefined;
  const code = getOwn(codeByStatus, String(found.status)) ?? "invalid_request";
  return { status: found.status, error: new TroupeError(code, sentenceOf(found, code)) };
}

function sentenceOf({ type, expose, message }: HttpError, code: ErrorCode): string {
  if (type !== undefined) return getOwn(bodyProblems, type) ?? sentences[code] ?? "";
  return expose && message !== "" ? message : (sentences[code] ?? "");
}

/** A vendor's error may have a status too, but says nothing of whether clients may see it: that is a failure of ours. */
function readHttpError(thrown: unknown): HttpError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { status, expose, type, message } = thrown as Partial<HttpError> & Error;
  if (typeof expose !== "boolean" || typeof status !== "number" || status < 400 || status > 499) return undefined;
  return { status, expose, type: typeof type === "string" ? type : undefined, message };
}
