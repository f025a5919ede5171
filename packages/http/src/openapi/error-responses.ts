import { errorCodes } from "@troupe/core";
import { statusOf } from "../errors/status-of.ts";
import { componentRef, schemaRef } from "./open-api-spec.ts";
import type { OpenApiReference, OpenApiResponse } from "./open-api-spec.ts";

const meanings: Readonly<Record<number, { name: string; meaning: string }>> = {
  400: {
    name: "BadRequest",
    meaning: "Something in the request is wrong; the message names the field, header or place.",
  },
  401: { name: "Unauthorized", meaning: "Credentials are missing, or the vendor refused the key of the request." },
  403: { name: "Forbidden", meaning: "`userId` is not the user who is signed in." },
  404: { name: "NotFound", meaning: "It does not exist, or belongs to another user." },
  405: { name: "MethodNotAllowed", meaning: "The path does not take this method; `Allow` says what it takes." },
  409: { name: "Conflict", meaning: "The session is busy." },
  413: { name: "PayloadTooLarge", meaning: "The body is longer than it may be. The connection is closed." },
  415: { name: "UnsupportedMediaType", meaning: "The body is of a type that is not taken." },
  422: { name: "Refused", meaning: "A guardrail or a limit of the service ended the run." },
  429: { name: "RateLimited", meaning: "Too many requests; `Retry-After` may say when to come back." },
  499: { name: "RunCancelled", meaning: "The run was cancelled." },
  500: { name: "InternalError", meaning: "The service's own fault." },
  502: {
    name: "ModelFailed",
    meaning: "The model's vendor failed, or what the model said has not the form it must have.",
  },
  503: { name: "Unavailable", meaning: "The storage cannot be used, or the service shuts down." },
  504: { name: "TimedOut", meaning: "It took too long." },
};

/** Returns the error responses of the service by their component names. */
export function errorResponses(): Record<string, OpenApiResponse> {
  const byStatus = Object.entries(meanings).map(([status, { name, meaning }]) => {
    return [name, errorResponse(Number(status), meaning)] as const;
  });
  const other = errorResponse(undefined, "What else stands before the service may refuse a request too.");
  return { ...Object.fromEntries(byStatus), OtherError: other };
}

/** Returns references to the error responses of an operation. */
export function errorsOf(...statuses: number[]): Record<string, OpenApiReference> {
  const refs = statuses.map((status) => {
    return [String(status), componentRef("responses", meanings[status]?.name ?? "OtherError")] as const;
  });
  return { ...Object.fromEntries(refs), default: componentRef("responses", "OtherError") };
}

function errorResponse(status: number | undefined, meaning: string): OpenApiResponse {
  // No code of its own stands for 405.
  const codes = status === 405 ? ["invalid_request" as const] : errorCodes.filter((code) => statusOf(code) === status);
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
