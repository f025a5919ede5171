import { describe, expect, it } from "vitest";
import { ModelError } from "./model-error.ts";
import { toModelError } from "./to-model-error.ts";
import type { CallContext } from "./to-model-error.ts";
import { TroupeError } from "./troupe-error.ts";
import { ResponseError, TruncatedResponseError, VendorError } from "./vendor-error.ts";

const convert = (thrown: unknown, call: Partial<CallContext> = {}) =>
  toModelError(thrown, { providerId: "acme", ...call });

describe("toModelError", () => {
  it("returns the error of the abort, whatever was thrown", () => {
    const reason = new TroupeError("timeout", "Too late.");

    expect(convert(new VendorError({ status: 429 }), { signal: AbortSignal.abort(reason) })).toBe(reason);
    expect(convert(new TroupeError("invalid_request", "x"), { signal: AbortSignal.abort() })).toMatchObject({
      code: "cancelled",
    });
    expect(convert(new VendorError({ status: 429 }), { signal: new AbortController().signal }).code).toBe(
      "rate_limited",
    );
  });

  it.each(["invalid_request", "invalid_config", "unauthorized", "model_failed"] as const)(
    "leaves an error of the code %s as it is, also as a cause",
    (code) => {
      const own = new TroupeError(code, "Mend it.");

      expect(convert(own)).toBe(own);
      expect(convert(new TypeError("fetch failed", { cause: own }))).toBe(own);
    },
  );

  it.each(["unavailable", "timeout", "invalid_value"] as const)(
    "makes of an error of the code %s one of the model",
    (code) => {
      expect(convert(new TroupeError(code, "Of the network."))).toBeInstanceOf(ModelError);
    },
  );

  it.each<[unknown, object]>([
    [{ status: 429 }, { code: "rate_limited", status: 429 }],
    [{ status_code: 429 }, { code: "rate_limited", status: 429 }],
    [
      { status: 500, status_code: 429 },
      { code: "model_failed", status: 500 },
    ],
    [{ status: "429" }, { code: "model_failed", status: undefined }],
    [{ status: 408 }, { code: "timeout" }],
    [{ status: 400, vendorCode: "one", code: "two", type: "three" }, { vendorCode: "one" }],
    [{ status: 400, code: "two", type: "three" }, { vendorCode: "two" }],
    [{ status: 400, code: 2, type: "three" }, { vendorCode: "three" }],
    [{ code: "two" }, { vendorCode: undefined }],
    [{ status: 429, retryAfterMs: 70 }, { retryAfterMs: 70 }],
    [{ status: 429, headers: new Headers({ "retry-after": "2" }) }, { retryAfterMs: 2000 }],
    [{ status: 429, retryAfterMs: 0, headers: new Headers({ "retry-after": "2" }) }, { retryAfterMs: 0 }],
    [{ status: 429, headers: { "retry-after": "2" } }, { retryAfterMs: undefined }],
    [
      { status: 400, code: "context_length_exceeded", contextLimit: 9 },
      { code: "context_too_long", fields: { limit: 9 } },
    ],
    [{ message: "maximum context length is 9" }, { code: "model_failed" }],
    [new SyntaxError("Unexpected token"), { networkCode: "ECONNRESET", code: "model_failed" }],
    [new TruncatedResponseError(), { networkCode: "ECONNRESET" }],
    ["a text", { code: "model_failed" }],
    [undefined, { code: "model_failed" }],
  ])("reads the facts of what was thrown: %#", (thrown, facts) => {
    expect(convert(thrown)).toMatchObject({ providerId: "acme", ...facts });
  });

  it.each<[unknown, string]>([
    [new ResponseError("sent an event of more than 16 MB"), "acme sent an event of more than 16 MB."],
    [new VendorError({ message: "private" }), "acme answered with an error."],
    [new VendorError({ message: "private", status: 503 }), "acme could not answer (status 503)."],
    [new Error("private"), "acme could not answer."],
  ])("tells what happened, and nothing that the vendor said: %#", (thrown, message) => {
    expect(convert(thrown).message).toBe(message);
  });

  it("keeps in the cause no key, no header of the call and no secret of its client", () => {
    const said = "key-123456 gateway-123456 client-123456 harmless";
    const { cause } = convert(new VendorError({ message: said, status: 500 }), {
      key: { value: "key-123456", fromCaller: false },
      headers: { "x-gateway": "gateway-123456", "x-removed": null },
      findSecrets: () => ["client-123456"],
    });

    expect((cause as Error).message).not.toMatch(/-123456/);
    expect((cause as Error).message).toContain("harmless");
  });

  it("keeps no words of the vendor where the secrets of the client are not known", () => {
    const { cause } = convert(new VendorError({ message: "private", status: 500 }), { findSecrets: () => undefined });

    expect((cause as Error).message).not.toContain("private");
  });

  it.each([
    [true, "unauthorized"],
    [false, "model_failed"],
  ])("blames the caller for a refused key only if it is the caller's: %j", (fromCaller, code) => {
    for (const status of [401, 403])
      expect(convert({ status }, { key: { value: "key-1", fromCaller } }).code).toBe(code);
  });
});
