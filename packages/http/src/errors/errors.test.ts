import { Agent, errorCodes, GuardrailError, ModelError, TroupeError } from "@troupe/core";
import type { ErrorCode } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { RequestHandler } from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serve } from "../../test/serve.ts";

const statuses: Record<ErrorCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  guardrail_blocked: 422,
  limit_exceeded: 422,
  context_too_long: 422,
  gone: 410,
  idempotency_mismatch: 422,
  interrupted: 503,
  crashed: 500,
  rate_limited: 429,
  cancelled: 499,
  internal: 500,
  invalid_config: 500,
  invalid_value: 500,
  model_failed: 502,
  structured_output_invalid: 502,
  storage_corrupt: 503,
  storage_unavailable: 503,
  unavailable: 503,
  timeout: 504,
};

/** The fixed message that clients get for internal errors. */
const generalWords: Partial<Record<ErrorCode, string>> = {
  internal: "Something went wrong in this service.",
  invalid_config: "Something went wrong in this service.",
  invalid_value: "Something went wrong in this service.",
  storage_unavailable: "The storage cannot be used at the moment.",
  storage_corrupt: "What is stored cannot be read.",
};

function failing(error: Error): RequestHandler {
  return (_, __, next) => next(error);
}

/** Serves a router whose every request fails with this error. */
async function serveFailure(error: Error) {
  return await serve({ middleware: [failing(error)] });
}

describe("an error of a route", () => {
  it.each(errorCodes)("an error of a route with the code %s has its own status and the common body", async (code) => {
    const service = await serveFailure(
      new TroupeError(code, "A sentence.", { fields: { step: "s", requestId: "fake" } }),
    );

    const { status, json, headers } = await service.ask("/agents");

    const shown = generalWords[code];
    expect(status).toBe(statuses[code]);
    expect(json).toEqual({
      error: {
        code,
        message: shown ?? "A sentence.",
        ...(shown === undefined && { step: "s" }),
        requestId: headers.get("x-request-id"),
      },
    });
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(service.lines).toHaveLength(statuses[code] >= 500 ? 1 : 0);
  });

  it("rounds Retry-After up to whole seconds", async () => {
    const waiting = async (retryAfterMs: number) => {
      const error = new ModelError({ providerId: "openai", status: 429, retryAfterMs });
      return (await (await serveFailure(error)).ask("/agents")).headers.get("retry-after");
    };

    expect(await waiting(1)).toBe("1");
    expect(await waiting(2000)).toBe("2");
    expect(await waiting(2001)).toBe("3");
    expect(await waiting(0)).toBe("0");
  });

  it("passes on the Retry-After of the vendor", async () => {
    const error = new ModelError({ providerId: "openai", status: 429, retryAfterMs: 12_000 });
    const model = new ScriptedModel().respond(() => ({ error }));
    const agent = new Agent({ name: "a", model, retry: { maxRetries: 0 } });
    const service = await serve({ agents: { a: agent } });

    for (const mode of ["run", "stream"]) {
      const { status, headers, json } = await service.post(`/agents/a/${mode}`, { input: "x" });
      expect([status, headers.get("retry-after")]).toEqual([429, "12"]);
      expect(json).toMatchObject({ error: { code: "rate_limited", vendor: "openai", retryAfterMs: 12_000 } });
    }
  });

  it("includes the reason of a guardrail", async () => {
    const service = await serveFailure(
      new GuardrailError({ guardrail: "polite", side: "input", reason: "Say please." }),
    );

    expect(await service.ask("/agents")).toMatchObject({
      status: 422,
      json: { error: { code: "guardrail_blocked", guardrail: "polite", side: "input" } },
    });
  });

  it("is answered as 500 if only another version of core knows its code", async () => {
    const service = await serveFailure(new TroupeError("brand_new" as ErrorCode, "sk-secret"));

    const { status, json, text } = await service.ask("/agents");

    expect([status, json]).toMatchObject([500, { error: { code: "internal" } }]);
    expect(text).not.toContain("sk-secret");
  });

  it("is logged with its cause and hidden from the client if it was unexpected", async () => {
    const cause = new Error("connect ECONNREFUSED 10.0.0.7 for sk-from-header");
    const service = await serveFailure(new Error("broken at /srv/app", { cause }));

    const answer = await service.ask("/agents", { headers: { "x-openai-api-key": "sk-from-header" } });

    expect(answer).toMatchObject({ status: 500, json: { error: { code: "internal" } } });
    expect(answer.text).not.toMatch(/srv|10\.0|at |sk-/);
    expect(service.lines).toHaveLength(1);
    expect(service.lines[0]).toContain("broken at /srv/app");
    expect(service.lines[0]).toContain("ECONNREFUSED");
    expect(service.lines[0]).not.toContain("sk-from-header");
    expect(JSON.parse(service.lines[0] ?? "")).toMatchObject({
      level: "error",
      requestId: answer.headers.get("x-request-id"),
    });
  });

  it.each(["text", 7, { status: 400, message: "no Error", expose: true }])(
    "is answered as internal if %j was thrown instead of an Error",
    async (thrown) => {
      const thrower: RequestHandler = () => {
        throw thrown;
      };
      const service = await serve({ middleware: [thrower] });

      expect(await service.ask("/agents")).toMatchObject({ status: 500, json: { error: { code: "internal" } } });
    },
  );

  it.each(["production", "development", undefined])(
    "shows no stack in a host without an error handler, with NODE_ENV %s",
    async (mode) => {
      vi.stubEnv("NODE_ENV", mode);
      onTestFinished(() => void vi.unstubAllEnvs());
      const model = new ScriptedModel().respond(() => ({ error: new TypeError("sk-secret in /srv/app/model.ts") }));
      const service = await serve({ agents: { a: new Agent({ name: "a", model }) } });

      for (const [path, body] of [
        ["/agents/a/run", { input: "x" }],
        ["/agents/a/run", "{"],
        ["/agents/%zz/run", {}],
        ["/agents/b/run", {}],
      ] as const) {
        const { text, headers, json } = await service.post(path, body);
        expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
        expect(json).toMatchObject({
          error: { code: expect.any(String), message: expect.any(String), requestId: expect.any(String) },
        });
        expect(text).not.toMatch(/sk-secret|srv|node_modules|at /);
      }
    },
  );

  it("removes the content headers of the answer that it replaces", async () => {
    const begin: RequestHandler = (_, response, next) => {
      response.setHeader("Content-Encoding", "gzip").setHeader("ETag", '"x"').setHeader("X-Kept", "yes");
      next(new TroupeError("conflict", "Busy."));
    };
    const { status, headers } = await (await serve({ middleware: [begin] })).ask("/agents");

    expect([status, headers.get("content-encoding"), headers.get("etag"), headers.get("x-kept")]).toEqual([
      409,
      null,
      null,
      "yes",
    ]);
  });

  it("cuts off an answer that has begun", async () => {
    const begin: RequestHandler = (_, response, next) => {
      response.writeHead(200, { "Content-Type": "text/plain" }).write("half of");
      next(new Error("Broken."));
    };
    const service = await serve({ middleware: [begin] });

    await expect(service.ask("/agents")).rejects.toThrow(TypeError);
  });

  it("leaves a finished answer as it is", async () => {
    const answer: RequestHandler = (_, response, next) => {
      response.end("all of it");
      next(new Error("Too late."));
    };

    expect(await (await serve({ middleware: [answer] })).ask("/agents")).toMatchObject({
      status: 200,
      text: "all of it",
    });
  });
});
