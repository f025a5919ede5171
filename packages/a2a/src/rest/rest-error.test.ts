import { TroupeError } from "@troupe/core";
import type { ErrorCode, ErrorFields } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { A2AError, toA2AError, wrongParam } from "../wire/a2a-error.ts";
import type { A2AErrorKind } from "../wire/a2a-error.ts";
import { restStatusOf, writeRestError } from "./rest-error.ts";

const written = (error: A2AError) => (JSON.parse(writeRestError(error)) as { error: unknown }).error;

describe("an error over HTTP+JSON", () => {
  it.each<[A2AErrorKind, number, string]>([
    ["parse-error", 400, "INVALID_ARGUMENT"],
    ["invalid-request", 400, "INVALID_ARGUMENT"],
    ["method-not-found", 404, "NOT_FOUND"],
    ["invalid-params", 400, "INVALID_ARGUMENT"],
    ["internal", 500, "INTERNAL"],
    ["task-not-found", 404, "NOT_FOUND"],
    ["task-not-cancelable", 400, "FAILED_PRECONDITION"],
    ["push-not-supported", 400, "FAILED_PRECONDITION"],
    ["unsupported-operation", 400, "FAILED_PRECONDITION"],
    ["content-type-not-supported", 415, "INVALID_ARGUMENT"],
    ["extended-card-not-configured", 400, "FAILED_PRECONDITION"],
    ["version-not-supported", 400, "FAILED_PRECONDITION"],
  ])("%s has the status %i %s", (kind, code, status) => {
    const error = new A2AError(kind, "It failed.");

    expect(restStatusOf(error)).toEqual([code, status]);
    expect(written(error)).toMatchObject({ code, status, message: "It failed." });
  });

  it.each<[ErrorCode, number, string]>([
    ["unauthorized", 401, "UNAUTHENTICATED"],
    ["forbidden", 403, "PERMISSION_DENIED"],
    ["payload_too_large", 413, "INVALID_ARGUMENT"],
    ["rate_limited", 429, "RESOURCE_EXHAUSTED"],
    ["interrupted", 503, "UNAVAILABLE"],
    ["storage_unavailable", 503, "UNAVAILABLE"],
    ["unavailable", 503, "UNAVAILABLE"],
    ["timeout", 504, "DEADLINE_EXCEEDED"],
    ["invalid_request", 400, "INVALID_ARGUMENT"],
    ["internal", 500, "INTERNAL"],
    ["model_failed", 500, "INTERNAL"],
    ["gone", 404, "NOT_FOUND"],
  ])("of core, %s, has the status %i %s", (ownCode, code, status) => {
    expect(restStatusOf(toA2AError(new TroupeError(ownCode, "It failed.")))).toEqual([code, status]);
  });

  it.each<[string, ErrorFields, number]>([
    ["a method that the path does not take", { allow: "GET" }, 405],
    ["a method that no path takes", { allow: "" }, 405],
    ["a code like a name of every object", { code: "constructor" }, 404],
    ["a code that is no string", { code: 7 }, 404],
  ])("of %s has the status of its fields, or its kind", (_title, fields, status) => {
    expect(restStatusOf(new A2AError("method-not-found", "No.", fields))[0]).toBe(status);
  });

  it("names a field as the client sent it", () => {
    const error = wrongParam("params.message.params.x", "a string");

    expect(written(error)).toEqual({
      code: 400,
      status: "INVALID_ARGUMENT",
      message: "message.params.x must be a string.",
      details: [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "INVALID_REQUEST",
          domain: "troupe",
          metadata: {},
        },
        {
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          fieldViolations: [{ field: "message.params.x", description: "message.params.x must be a string." }],
        },
      ],
    });
    expect(error.fields).toEqual({ field: "params.message.params.x" });
  });

  it.each(["body", "params", "my.params.x"])("leaves the field %s as it is", (field) => {
    expect(written(wrongParam(field, "an object"))).toMatchObject({ message: `${field} must be an object.` });
  });
});
