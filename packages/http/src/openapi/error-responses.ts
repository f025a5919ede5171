import { errorCodes } from "@troupe/core";
import { httpStatusOfCode } from "@troupe/core/transport";
import { componentRef, schemaRef } from "./open-api-spec.ts";
import type { OpenApiReference, OpenApiResponse } from "./open-api-spec.ts";

const meanings: Readonly<Record<number, { name: string; meaning: string }>> = {
  400: {
    name: "BadRequest",
    meaning: "The request is invalid. The message names the field, header or place.",
  },
  401: { name: "Unauthorized", meaning: "Credentials are missing, or the vendor refused the key of the request." },
  403: {
    name: "Forbidden",
    meaning:
      "`userId` is not the user who is signed in, or the request comes from a page or to a host that is not allowed.",
  },
  404: { name: "NotFound", meaning: "It does not exist, or belongs to another user." },
  405: { name: "MethodNotAllowed", meaning: "The path does not take this method. `Allow` lists those that it takes." },
  409: {
    name: "Conflict",
    meaning: "The session is busy, or waits for an answer, or the question was answered already.",
  },
  410: { name: "Gone", meaning: "It was removed: the position in the events, or the run." },
  413: { name: "PayloadTooLarge", meaning: "The body is too long. The connection is closed." },
  415: { name: "UnsupportedMediaType", meaning: "The content type of the body is not supported." },
  422: {
    name: "Refused",
    meaning: "A guardrail or a limit of the service ended the run, or its Idempotency-Key came with another request.",
  },
  429: { name: "RateLimited", meaning: "Too many requests. `Retry-After` may give the seconds to wait." },
  499: { name: "RunCancelled", meaning: "The run was cancelled." },
  500: { name: "InternalError", meaning: "The service failed." },
  502: {
    name: "ModelFailed",
    meaning: "The vendor failed, or its answer does not match the schema.",
  },
  503: {
    name: "Unavailable",
    meaning: "The storage failed, or the service shuts down; `interrupted`: the run goes on, ask for it by its id.",
  },
  504: { name: "TimedOut", meaning: "It took too long." },
};

/** Returns the error responses of the service by component name, for `components.responses` of the OpenAPI document. */
export function errorResponses(): Record<string, OpenApiResponse> {
  const byStatus = Object.entries(meanings).map(([status, { name, meaning }]) => {
    return [name, errorResponse(Number(status), meaning)] as const;
  });
  const other = errorResponse(undefined, "Any other refusal, for example of a proxy before the service.");
  return { ...Object.fromEntries(byStatus), OtherError: other };
}

/**
 * Returns the error part of an operation's `responses`: a reference to an error response for each status, and `default`
 * for all others. An operation without a 4xx status declares `4XX`, because linters demand it.
 */
export function errorResponseRefs(...statuses: number[]): Record<string, OpenApiReference> {
  const refs = statuses.map((status) => {
    return [String(status), componentRef("responses", meanings[status]?.name ?? "OtherError")] as const;
  });
  const other = componentRef("responses", "OtherError");
  const hasRefusal = statuses.some((status) => status >= 400 && status < 500);
  return { ...Object.fromEntries(refs), ...(!hasRefusal && { "4XX": other }), default: other };
}

function errorResponse(status: number | undefined, meaning: string): OpenApiResponse {
  // No error code has the status 405, so the response uses `invalid_request`.
  const codes =
    status === 405 ? ["invalid_request" as const] : errorCodes.filter((code) => httpStatusOfCode(code) === status);
  const code = codes[0] ?? "invalid_request";
  const message = meaning.replaceAll("`", "");
  return {
    description: codes.length === 0 ? meaning : `${meaning} Codes: ${codes.map((each) => `\`${each}\``).join(", ")}.`,
    headers: {
      "X-Request-Id": componentRef("headers", "RequestId"),
      ...(status === 405 && { Allow: componentRef("headers", "Allow") }),
      ...(status === 429 && { "Retry-After": componentRef("headers", "RetryAfter") }),
    },
    content: {
      "application/json": {
        schema: schemaRef("Error"),
        example: { error: { code, message, requestId: "7f1c2a9e" } },
      },
    },
  };
}
