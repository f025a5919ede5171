import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ModelError } from "./model-error.ts";
import type { ModelFailure } from "./model-error.ts";
import { toPublicError } from "./public-error.ts";
import { TroupeError } from "./troupe-error.ts";

const key = "sk-canary-0123/456+789";
const prompt = "the user's prompt ".repeat(40);
const failed = (failure: Partial<ModelFailure>) => new ModelError({ providerId: "openai", ...failure });

/** As vendor libraries throw it: the text quotes the key, and the request hangs on it. */
const vendorError = (text: string) =>
  Object.assign(new Error(text, { cause: Object.assign(new Error(`deep ${text}`), { code: "ECONNRESET" }) }), {
    code: "server_error",
    status: 500,
    request: { headers: { authorization: `Bearer ${key}` }, body: prompt },
    error: { message: text },
  });

/** Everything that anybody could print of an error. */
const everything = (error: Error) =>
  [JSON.stringify(error), String(error), error.stack, inspect(error, { depth: null, showHidden: true })].join("\n");

describe("ModelError", () => {
  it.each([
    [{ status: 429 }, "rate_limited", "openai limits the rate of requests (status 429). Try again later."],
    [{ status: 500 }, "model_failed", "openai could not answer (status 500)."],
    [{ status: 529 }, "model_failed", "openai could not answer (status 529)."],
    [{ status: 400 }, "model_failed", "openai could not answer (status 400)."],
    [{ status: 404 }, "model_failed", "openai could not answer (status 404)."],
    [{ status: 408 }, "timeout", "openai could not answer (status 408)."],
    [{ status: 504 }, "timeout", "openai could not answer (status 504)."],
    [{ networkCode: "ETIMEDOUT" }, "timeout", "openai did not answer in time."],
    [{ networkCode: "ECONNRESET" }, "model_failed", "The connection to openai failed (ECONNRESET)."],
    [{}, "model_failed", "openai could not answer."],
  ])("turns %o into the code %s with a message of its own", (failure, code, message) => {
    expect(failed(failure)).toMatchObject({ code, message, name: "ModelError", providerId: "openai" });
  });

  it.each([401, 403])("blames a refused key, status %d, on the caller only if the caller sent it", (status) => {
    const callers = failed({ status, key: { value: key, fromCaller: true } });
    const ours = failed({ status, key: { value: key, fromCaller: false } });

    expect(callers).toMatchObject({
      code: "unauthorized",
      message: `openai refused the API key of this request (status ${status}). Pass a valid key.`,
    });
    expect(ours).toMatchObject({ code: "model_failed", message: `openai could not answer (status ${status}).` });
    expect(failed({ status }).code).toBe("model_failed");
  });

  it("finds the network's code among the causes", () => {
    const cause = new TypeError("fetch failed", {
      cause: Object.assign(new Error("closed"), { code: "UND_ERR_SOCKET" }),
    });

    expect(failed({ cause })).toMatchObject({ networkCode: "ECONNRESET", code: "model_failed" });
  });

  it("shows clients the vendor, the status and the wait, and nothing of the vendor's text", () => {
    const error = failed({
      status: 429,
      vendorCode: "insufficient_quota",
      retryAfterMs: 1999.5,
      cause: vendorError(key),
    });

    expect(error.vendorCode).toBe("insufficient_quota");
    expect(toPublicError(error)).toEqual({
      code: "rate_limited",
      message: "openai limits the rate of requests (status 429). Try again later.",
      vendor: "openai",
      status: 429,
      retryAfterMs: 2000,
    });
  });

  it("ignores a status, code or wait that is malformed", () => {
    const error = failed({ status: NaN, vendorCode: "Your prompt was: hello", retryAfterMs: -5 });

    expect(error).toMatchObject({ status: undefined, vendorCode: undefined, retryAfterMs: undefined });
    expect(error.fields).toEqual({ vendor: "openai" });
    expect(failed({ vendorCode: "sk_key", key: { value: "sk_key", fromCaller: true } }).vendorCode).toBeUndefined();
  });

  it.each([key, encodeURIComponent(key), JSON.stringify({ key })])(
    "holds no key, where the vendor's text quotes %s",
    (quoted) => {
      const error = failed({
        status: 500,
        key: { value: key, fromCaller: false },
        cause: vendorError(`Request with ${quoted} failed.`),
      });

      expect(everything(error)).not.toContain("canary");
      expect((error.cause as Error).message).toContain("Request with");
    },
  );

  it("keeps the name, code and stack of its cause, and neither request nor body", () => {
    const error = failed({ status: 500, cause: vendorError(prompt) });
    const cause = error.cause as Error & { code: string; status: number };

    expect(cause).toMatchObject({ name: "Error", code: "server_error", status: 500, cause: { code: "ECONNRESET" } });
    expect(cause.stack).toContain("model-error.test.ts");
    expect(cause.message).toHaveLength(201);
    expect(everything(error)).not.toContain("authorization");
    expect(JSON.stringify(error)).not.toContain("prompt");
    expect(Object.keys(cause)).toEqual([]);
  });

  it("leaves out the vendor's text about a refused key, which may quote a part of the key", () => {
    const cause = vendorError("Incorrect API key provided: sk-cana****789.");
    const error = failed({ status: 401, key: { value: key, fromCaller: true }, cause });

    expect(everything(error)).not.toContain("sk-cana");
  });

  it("accepts any value as its cause", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();

    for (const cause of ["a text", 5, {}, Symbol("s"), proxy]) expect(failed({ cause }).cause).toBeInstanceOf(Error);
  });

  it("is a TroupeError", () => {
    expect(TroupeError.is(failed({}))).toBe(true);
    expect(failed({}).cause).toBeUndefined();
  });
});
