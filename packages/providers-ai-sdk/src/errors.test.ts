import { describe, expect, it } from "vitest";
import { toVendorError } from "./errors.ts";

describe("an error of a package", () => {
  const named = (name: string, fields: object = {}) =>
    Object.assign(new Error("secret"), { name: `AI_${name}`, ...fields });
  const context = { providerId: "acme", signal: undefined, findSecrets: () => undefined } as never;
  const withKey = { providerId: "acme", signal: undefined, findSecrets: () => undefined, key: {} } as never;
  const needs = "acme needs an API key or a setting that its package of the AI SDK did not find";

  it.each<[string, unknown, object]>([
    [
      "a missing key",
      named("LoadAPIKeyError"),
      { code: "unauthorized", message: `${needs}: create the model with one.` },
    ],
    ["a missing setting", named("LoadSettingError"), { code: "unauthorized", fields: { vendor: "acme" } }],
    [
      "a wrong prompt",
      named("InvalidPromptError"),
      { code: "invalid_request", message: "The package of acme refuses the messages." },
    ],
    ["damaged JSON", named("JSONParseError"), { message: expect.stringContaining("could not be read") }],
    ["a wrong type", named("TypeValidationError"), { message: expect.stringContaining("could not be read") }],
    ["an empty body", named("EmptyResponseBodyError"), { message: expect.stringContaining("could not be read") }],
    ["wrong data", named("InvalidResponseDataError"), { message: expect.stringContaining("could not be read") }],
    [
      "an unread answer",
      named("APICallError", { statusCode: 200 }),
      { message: expect.stringContaining("could not be read") },
    ],
    ["a refusal", named("APICallError", { statusCode: 429, responseBody: "{}" }), { status: 429 }],
    ["a redirect", named("APICallError", { statusCode: 300, responseBody: "é" }), { status: 300, message: "é" }],
    ["a failure without a body", named("APICallError", { statusCode: 500 }), { status: 500, message: "secret" }],
  ])("is read: %s", (_, thrown, read) => {
    expect(toVendorError(thrown, context)).toMatchObject(read);
  });

  it("of a caller's key says what the host can do", () => {
    expect(toVendorError(named("LoadAPIKeyError"), withKey)).toMatchObject({
      message: `${needs}: create the model with any key, or set withKey.`,
    });
  });

  it("without an answer is its cause, and any other error is itself", () => {
    const cause = new Error("reset");
    const other = new Error("x");

    expect(toVendorError(named("APICallError", { cause }), context)).toBe(cause);
    expect(toVendorError(named("APICallError", { statusCode: 299, cause }), context)).toBe(cause);
    expect(toVendorError(other, context)).toBe(other);
  });

  it.each<[string, number | undefined]>([
    ["authentication_error", 401],
    ["insufficient_quota", 429],
    ["internalServerException", 500],
    ["invalid_request_error", 400],
    ["modelStreamErrorException", 424],
    ["overloaded_error", 529],
    ["rate_limit_error", 429],
    ["rate_limit_exceeded", 429],
    ["server_error", 500],
    ["serviceUnavailableException", 503],
    ["throttlingException", 429],
    ["validationException", 400],
  ])("within a stream of the type %s has the status %i", (type, status) => {
    expect(toVendorError({ type, message: "x" }, context)).toMatchObject({ status });
  });
});
