import { describe, expect, it } from "vitest";
import { ApiError, mayPass, toApiError } from "./api-error.ts";

/** Makes the error of an answer with a body and headers. */
async function errorOf(status: number, body: string | null, headers: Record<string, string> = {}) {
  return await toApiError(new Response(body, { status, statusText: "Said", headers }));
}

describe("a refusal that may pass", () => {
  it.each([0, 408, 429, 500, 501, 503, 504, 529, 599])("has the status %i", (status) => {
    expect(mayPass(new ApiError({ code: "x", message: "x" }, status))).toBe(true);
  });

  it.each([400, 401, 403, 404, 407, 409, 410, 413, 428, 430, 499])("does not have the status %i", (status) => {
    expect(mayPass(new ApiError({ code: "x", message: "x" }, status))).toBe(false);
  });
});

describe("the error of an answer", () => {
  it("has what the service says, and its status", async () => {
    const error = { code: "unauthorized", message: "Sign in, Zoë.", vendor: "openai", runId: "r1" };

    expect(await errorOf(401, JSON.stringify({ error }))).toMatchObject({ ...error, name: "ApiError", status: 401 });
  });

  it.each([
    null,
    "",
    "<html>Bad gateway</html>",
    '{"error":{"code":"x","mess',
    "null",
    "7",
    "[]",
    "{}",
    '{"error":{}}',
  ])("is an error of its own where the body is %j, as that of a proxy", async (body) => {
    expect(await errorOf(502, body)).toMatchObject({
      name: "ApiError",
      code: "unknown",
      status: 502,
      message: "The service answered 502 Said.",
      vendor: undefined,
      runId: undefined,
    });
  });

  it.each([
    ["0", 0],
    ["1", 1000],
    ["2.5", 2500],
    ["soon", undefined],
    ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
  ])("may be repeated after %s seconds in milliseconds", async (seconds, ms) => {
    expect((await errorOf(429, "{}", { "retry-after": seconds })).retryAfterMs).toBe(ms);
  });

  it("names no time without the header", async () => {
    expect((await errorOf(429, "{}")).retryAfterMs).toBeUndefined();
  });
});
