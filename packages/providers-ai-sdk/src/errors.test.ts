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

  it("an error of a package of a caller's key says what the host can do", () => {
    expect(toVendorError(named("LoadAPIKeyError"), withKey)).toMatchObject({
      message: `${needs}: create the model with any key, or set withKey.`,
    });
  });

  it("an error of a package without an answer is its cause, and any other error is itself", () => {
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

  it.each<[object, object]>([
    [
      { statusCode: 400, responseBody: '{"error":{"details":[{"reason":"API_KEY_INVALID"}]}}' },
      { status: 401, vendorCode: "API_KEY_INVALID" },
    ],
    [
      { statusCode: 403, responseBody: '{"error":{"details":[{"reason":"API_KEY_BLOCKED"}]}}' },
      { status: 403, vendorCode: "API_KEY_BLOCKED" },
    ],
    [{ statusCode: 400, responseBody: '{"error":{"details":[{"reason":"OTHER"}]}}' }, { status: 400 }],
    [{ statusCode: 429, responseBody: '{"error":{"details":[{},{"retryDelay":"34.4s"}]}}' }, { retryAfterMs: 34_400 }],
    [{ statusCode: 429, responseBody: '{"error":{"details":[{"retryDelay":"soon"}]}}' }, { retryAfterMs: undefined }],
    [{ statusCode: 429, responseHeaders: { "retry-after": "2", other: 7 } }, { retryAfterMs: 2000 }],
    [{ statusCode: 500, data: { error: { code: 7, type: "t", status: "s" } } }, { vendorCode: "t" }],
    [{ statusCode: 500, data: { status: "s" } }, { vendorCode: "s" }],
    [{ statusCode: 500, data: { code: "c", type: "t" } }, { vendorCode: "c" }],
  ])("of a reply with %j is %j", (reply, error) => {
    expect(toVendorError(named("APICallError", reply), context)).toMatchObject(error);
  });

  it.each<[unknown, object]>([
    ["é", { message: "é" }],
    [{ error: { message: "m", code: 400 } }, { message: "m", status: 400 }],
    [
      { message: "m", code: 599 },
      { message: "m", status: 599 },
    ],
    [
      { message: "m", code: 399, type: "server_error" },
      { status: 500, vendorCode: "server_error" },
    ],
    [{ message: "m", code: 600, type: "overloaded_error" }, { status: 529 }],
  ])("within a stream, %j, is %j", (thrown, error) => {
    expect(toVendorError(thrown, context)).toMatchObject(error);
  });

  it.each([
    ["Image input", "unsupported_media_type", "a kind of content"],
    ["file parts", "unsupported_media_type", "a kind of content"],
    ["media type x", "unsupported_media_type", "a kind of content"],
    ["audio", "unsupported_media_type", "a kind of content"],
    ["MIME", "unsupported_media_type", "a kind of content"],
    ["topK", "invalid_request", "a setting"],
  ])("an error of a package that does not support %s is %s", (functionality, code, what) => {
    expect(toVendorError(named("UnsupportedFunctionalityError", { functionality }), context)).toMatchObject({
      code,
      message: `The package of acme does not support ${what} of this call.`,
      fields: { vendor: "acme" },
    });
  });
});
