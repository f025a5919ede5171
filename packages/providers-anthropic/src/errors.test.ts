import { VendorError } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { toClientError, toVendorError } from "./errors.ts";

/** The fields of an error by which a run decides. */
function factsOf(error: VendorError): object {
  const { message, status, hasStatus, vendorCode, retryAfterMs } = error;
  return { message, status, hasStatus, vendorCode, retryAfterMs };
}

const silent = "The vendor sent an error without a message.";

describe("toVendorError", () => {
  it.each([
    ["invalid_request_error", 400],
    ["authentication_error", 401],
    ["billing_error", 402],
    ["permission_error", 403],
    ["not_found_error", 404],
    ["request_too_large", 413],
    ["rate_limit_error", 429],
    ["api_error", 500],
    ["timeout_error", 504],
    ["overloaded_error", 529],
  ])("gives %s the status %i", (type, status) => {
    expect(factsOf(toVendorError({ type: "error", error: { type, message: "No." } }))).toEqual({
      message: "No.",
      status,
      hasStatus: true,
      vendorCode: type,
      retryAfterMs: undefined,
    });
  });

  it.each(["constructor", "__proto__", "new_error"])("knows no status for %s", (type) => {
    expect(factsOf(toVendorError({ error: { type } }))).toEqual({
      message: silent,
      status: 500,
      hasStatus: false,
      vendorCode: type,
      retryAfterMs: undefined,
    });
  });

  it.each<[string, unknown, string]>([
    ["the vendor's", { error: { message: "A" }, detail: "C", message: "D" }, "A"],
    ["a text for an error", { error: "B", detail: "C", message: "D" }, "B"],
    ["a detail", { error: {}, detail: "C", message: "D" }, "C"],
    ["a message beside it", { error: { message: "" }, message: "D" }, "D"],
    ["a body of text", "E", "E"],
    ["a list of details", { detail: [{ loc: ["a"] }] }, '[{"loc":["a"]}]'],
    ["a long list", { detail: ["x".repeat(3000)] }, `["${"x".repeat(1998)}`],
    ["none", { error: null }, silent],
    ["nothing", undefined, silent],
  ])("takes the message from %s", (_, body, message) => {
    expect(toVendorError(body)).toMatchObject({ message, vendorCode: undefined });
  });

  it("takes status and wait from the reply first", () => {
    const headers = new Headers({ "retry-after": "3" });

    expect(factsOf(toVendorError({ error: { type: "overloaded_error" } }, { status: 503, headers }))).toEqual({
      message: silent,
      status: 503,
      hasStatus: true,
      vendorCode: "overloaded_error",
      retryAfterMs: 3000,
    });
  });
});

describe("toClientError", () => {
  it("makes an error of the vendor's event", () => {
    const error = toClientError({ error: { error: { type: "rate_limit_error", message: "Slow." } } });

    expect(error).toBeInstanceOf(VendorError);
    expect(error).toMatchObject({ message: "Slow.", status: 429, vendorCode: "rate_limit_error" });
  });

  it.each<[string, unknown]>([
    ["a status", { status: 400, error: { error: {} } }],
    ["null for an error", { error: null }],
    ["none", new Error("lost")],
    ["no fields", "lost"],
  ])("leaves one with %s as it is", (_, thrown) => {
    expect(toClientError(thrown)).toBe(thrown);
  });
});
