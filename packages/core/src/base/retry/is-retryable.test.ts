import { describe, expect, it } from "vitest";
import { ModelError } from "../errors/model-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { isRetryable } from "./is-retryable.ts";

const withCode = (code: string) => Object.assign(new Error("text"), { code });

describe("isRetryable", () => {
  it("is true for HTTP 429 [retry.http-429]", () => {
    expect(isRetryable({ status: 429 })).toBe(true);
    expect(isRetryable(new ModelError({ providerId: "openai", status: 429 }))).toBe(true);
  });

  it.each([500, 502, 503, 504, 529, 599])("is true for HTTP %d [retry.http-5xx]", (status) => {
    expect(isRetryable({ status })).toBe(true);
    expect(isRetryable({ statusCode: status })).toBe(true);
    expect(isRetryable({ status_code: status })).toBe(true);
    expect(isRetryable(new ModelError({ providerId: "openai", status }))).toBe(true);
  });

  it.each(["ECONNRESET", "ETIMEDOUT", "EPIPE", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT"])(
    "is true for %s, also among the causes of an error of fetch [retry.network]",
    (code) => {
      const hidden = new TypeError("fetch failed", { cause: new Error("deeper", { cause: withCode(code) }) });

      expect(isRetryable(withCode(code))).toBe(true);
      expect(isRetryable(hidden)).toBe(true);
      expect(isRetryable(new ModelError({ providerId: "openai", cause: hidden }))).toBe(true);
      expect(isRetryable(new TroupeError("unavailable", "No connection.", { cause: hidden }))).toBe(true);
    },
  );

  it.each([400, 401, 403, 404, 408, 409, 422, 200, 600])("is false for HTTP %d [retry.others]", (status) => {
    expect(isRetryable({ status })).toBe(false);
  });

  it("decides by the outermost status, if there is any", () => {
    expect(isRetryable({ status: 400, cause: withCode("ECONNRESET") })).toBe(false);
    expect(isRetryable({ status: 400, cause: { status: 503 } })).toBe(false);
    expect(isRetryable({ cause: { status: 503 } })).toBe(true);
  });

  it("is false for a cancelled call, and for other failures", () => {
    const reset = withCode("ECONNRESET");

    expect(isRetryable(new TroupeError("cancelled", "Stopped.", { cause: reset }))).toBe(false);
    expect(isRetryable(Object.assign(new DOMException("stop", "AbortError"), { status: 503 }))).toBe(false);
    for (const other of [undefined, null, "text", new Error("text"), withCode("ECONNREFUSED"), { status: "503" }]) {
      expect(isRetryable(other)).toBe(false);
    }
  });
});
