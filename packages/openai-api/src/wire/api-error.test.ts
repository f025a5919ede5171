import { TroupeError } from "@troupe/core";
import type { ErrorCode } from "@troupe/core";
import { describe, expect, inject, it } from "vitest";
import { teller } from "../../test/agents.ts";
import { serve } from "../../test/serve.ts";
import { apiError, toApiError, wrongField } from "./api-error.ts";
import { toChatUsage, toResponseUsage } from "./usage.ts";

/** The status, the type and the repetition of each code that a client may get. */
const codes: readonly [ErrorCode, number, string, boolean][] = [
  ["invalid_request", 400, "invalid_request_error", false],
  ["unauthorized", 401, "authentication_error", false],
  ["forbidden", 403, "permission_error", false],
  ["not_found", 404, "invalid_request_error", false],
  ["conflict", 409, "invalid_request_error", false],
  ["payload_too_large", 413, "invalid_request_error", false],
  ["limit_exceeded", 422, "invalid_request_error", false],
  ["rate_limited", 429, "rate_limit_error", true],
  ["cancelled", 499, "invalid_request_error", false],
  ["internal", 500, "server_error", false],
  ["model_failed", 502, "server_error", false],
  ["unavailable", 503, "server_error", true],
  ["storage_unavailable", 503, "server_error", true],
  ["interrupted", 503, "server_error", false],
  ["timeout", 504, "server_error", false],
];

describe("a failure of the code", () => {
  it.each(codes)(
    "%s has the status %i and the type %s; to repeat it helps: %s",
    async (...[code, status, type, again]) => {
      const thrown = new TroupeError(code, "Où?", { fields: { retryAfterMs: 1_001 } });
      const failing = () => Promise.reject(thrown);
      const { ask } = await serve({ agents: { teller: teller() }, authenticate: failing });
      const { status: given, json, headers, text } = await ask("/v1/models");

      expect([given, json]).toEqual([status, { error: { message: expect.any(String), type, param: null, code } }]);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-type": "application/json; charset=utf-8",
        // An answer of a web-standard handler gets its length from the server beyond it.
        ...(inject("httpServer") === "node" && { "content-length": String(Buffer.byteLength(text)) }),
        "cache-control": "no-store",
        "x-should-retry": String(again),
        "retry-after": "2",
        "retry-after-ms": "1001",
      });
    },
  );

  it("has no time to repeat it if none is known", async () => {
    const failing = () => Promise.reject(new TroupeError("rate_limited", "No."));
    const { ask } = await serve({ agents: { teller: teller() }, authenticate: failing });
    const { headers } = await ask("/v1/models");

    expect([headers.get("retry-after"), headers.get("retry-after-ms")]).toEqual([null, null]);
  });
});

describe("an error of the API", () => {
  it.each<[Record<string, string | number>, string | null]>([
    [{}, null],
    [{ field: "other.field" }, null],
    [{ field: 7 }, null],
    [{ param: 7 }, null],
    [{ param: "a", field: "additions.clientTools" }, "a"],
    [{ field: "additions.clientTools[1].name" }, "tools[1].name"],
    [{ field: "additions.outputSchema.type" }, "response_format.type"],
    [{ field: "modelOptions.toolChoice" }, "tool_choice"],
    [{ field: "x.modelOptions.toolChoice" }, null],
  ])("with the fields %j names the parameter %j", (fields, param) => {
    expect(toApiError(new TroupeError("invalid_request", "No.", { fields }))).toEqual({
      message: "No.",
      type: "invalid_request_error",
      param,
      code: "invalid_request",
    });
  });

  it("has a code of its own if it was made with one, and the type of a status that is given", () => {
    expect(toApiError(wrongField("é", "is wrong.", "special"), 403)).toEqual({
      message: "é is wrong.",
      type: "permission_error",
      param: "é",
      code: "special",
    });
    expect(apiError("conflict", "No.").fields).toEqual({});
    expect(apiError("conflict", "No.", { param: "a" }).fields).toEqual({ param: "a" });
    expect(apiError("conflict", "No.", { code: "b" }).fields).toEqual({ apiCode: "b" });
  });
});

it("the usage of a run has its numbers under the names of each API", () => {
  const usage = {
    promptTokens: 1,
    completionTokens: 2,
    totalTokens: 3,
    cachedTokens: 4,
    reasoningTokens: 5,
    audioInputTokens: 6,
    audioOutputTokens: 7,
    cacheWriteTokens: 8,
  };

  expect(toChatUsage(usage)).toEqual({
    prompt_tokens: 1,
    completion_tokens: 2,
    total_tokens: 3,
    prompt_tokens_details: { cached_tokens: 4, audio_tokens: 6 },
    completion_tokens_details: { reasoning_tokens: 5, audio_tokens: 7 },
  });
  expect(toResponseUsage(usage)).toEqual({
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 8 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 3,
  });
  const least = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
  expect(toResponseUsage(least)).toEqual({
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 2,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 3,
  });
});
