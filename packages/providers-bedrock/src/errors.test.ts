import { describe, expect, it } from "vitest";
import { toStreamError, toVendorError } from "./errors.ts";

const reply = (status: number, headers: Record<string, string> = {}) => ({ status, headers: new Headers(headers) });

describe("toVendorError", () => {
  it.each<[string, unknown, Record<string, string>, string | undefined, string]>([
    ["a header", { message: "A" }, { "x-amzn-errortype": "ValidationException:http://x/" }, "ValidationException", "A"],
    [
      "a type",
      { __type: "com.amazon.coral.service#AccessDeniedException", Message: "B" },
      {},
      "AccessDeniedException",
      "B",
    ],
    ["a code", { code: "throttlingException", error: { message: "C" } }, {}, "ThrottlingException", "C"],
    ["a page of a proxy", "D", {}, undefined, "D"],
    ["nothing", undefined, {}, undefined, "The vendor sent an error without a message."],
    ["an array", [1], {}, undefined, "The vendor sent an error without a message."],
  ])("names the exception of %s", (_, body, ...[headers, vendorCode, message]) => {
    expect(toVendorError(body, reply(400, headers))).toMatchObject({ status: 400, vendorCode, message });
  });

  it("has the time to wait", () => {
    expect(toVendorError({}, reply(429, { "retry-after": "3" }))).toMatchObject({ status: 429, retryAfterMs: 3000 });
  });
});

describe("toStreamError", () => {
  it.each([
    ["validationException", 400],
    ["accessDeniedException", 403],
    ["modelTimeoutException", 408],
    ["throttlingException", 429],
    ["modelStreamErrorException", 500],
    ["internalServerException", 500],
    ["serviceUnavailableException", 503],
  ])("gives %s the status %i", (type, status) => {
    const vendorCode = `${type.charAt(0).toUpperCase()}${type.slice(1)}`;

    expect(toStreamError(type, { message: "No." })).toMatchObject({
      status,
      hasStatus: true,
      vendorCode,
      message: "No.",
    });
  });

  it.each(["constructor", "__proto__", "newException", ""])("knows no status for %j", (type) => {
    expect(toStreamError(type, undefined)).toMatchObject({ status: 500, hasStatus: false });
  });
});
