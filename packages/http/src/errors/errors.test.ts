import { Agent, createLogger, errorCodes, GuardrailError, ModelError, TroupeError } from "@troupe/core";
import type { ErrorCode } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import express from "express";
import type { RequestHandler } from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { head, sendRaw } from "../../test/raw.ts";
import { talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import { errorHandler } from "./error-handler.ts";

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

describe("errorHandler", () => {
  const handler = () => errorHandler({ logger: createLogger() });

  it("answers errors of the host as the router does [http.error-handler]", async () => {
    const broken: RequestHandler = (request, _, next) =>
      next(request.url === "/known" ? new TroupeError("not_found", "No such page.") : new Error("sk-secret"));
    const service = await serve({ agents: { a: talker() } }, { behind: [broken, handler()] });

    const known = await service.ask("/known");
    const unknown = await service.ask("/x");

    expect(known).toMatchObject({ status: 404, json: { error: { code: "not_found", message: "No such page." } } });
    expect(unknown).toMatchObject({ status: 500, json: { error: { code: "internal" } } });
    expect(unknown.text).not.toContain("sk-secret");
    expect((await service.post("/agents/b/run", {})).json).toMatchObject({ error: { code: "not_found" } });
  });

  it.each<[string, string, Record<string, string>, number, string]>([
    ["broken JSON", '{"apiKey": sk-secret}', {}, 400, "invalid_request"],
    ["too much", JSON.stringify({ input: "x".repeat(2000) }), {}, 413, "payload_too_large"],
    ["an unknown encoding", "{}", { "content-encoding": "zstd-x" }, 415, "unsupported_media_type"],
    ["another charset", "{}", { "content-type": "application/json; charset=utf-7" }, 415, "unsupported_media_type"],
  ])(
    "translates the errors of a body parser in front of the router: %s",
    async (_, ...[body, headers, status, code]) => {
      const before = [express.json({ limit: 1000 })];
      const service = await serve({ agents: { a: talker() } }, { before, behind: [handler()] });

      const answer = await service.post("/agents/a/run", body, headers);

      expect(answer).toMatchObject({ status, json: { error: { code } } });
      expect(answer.text).not.toContain("sk-secret");
    },
  );

  it("translates broken paths, and shows messages that the host wrote for its clients", async () => {
    const teapot = Object.assign(new Error("Only tea here."), { status: 418, expose: true });
    const hidden = Object.assign(new Error("sk-secret"), { status: 403, expose: false });
    const vendors = Object.assign(new Error("Incorrect API key sk-secret"), { status: 401 });
    const servers = Object.assign(new Error("sk-secret"), { status: 503, expose: true });
    const app = express.Router();
    app.get("/page/:name", (_, response) => void response.send("page"));
    for (const [name, error] of Object.entries({ teapot, hidden, vendors, servers }))
      app.get(`/${name}`, failing(error));
    const service = await serve({}, { behind: [app, handler()] });
    const shown = async (path: string) => {
      const { status, json } = await service.ask(path);
      const { code, message } = (json as { error: { code: string; message: string } }).error;
      return [status, code, message];
    };

    expect(await shown("/page/%zz")).toEqual([
      400,
      "invalid_request",
      "The path has a broken percent escape. Encode it with encodeURIComponent.",
    ]);
    expect(await shown("/teapot")).toEqual([418, "invalid_request", "Only tea here."]);
    expect(await shown("/hidden")).toEqual([403, "forbidden", "This is not allowed."]);
    expect(await shown("/vendors")).toEqual([500, "internal", "Something went wrong in this service."]);
    expect(await shown("/servers")).toEqual([500, "internal", "Something went wrong in this service."]);
  });

  it("answers a client that sent too much to a body parser before it closes the connection", async () => {
    const service = await serve(
      { agents: { a: talker() } },
      { before: [express.json({ limit: 1000 })], behind: [handler()] },
    );
    const body = "x".repeat(200_000);

    const answer = await sendRaw(
      service,
      head("/agents/a/run", "Content-Type: application/json", `Content-Length: ${body.length}`),
      body,
    );

    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it("refuses unknown options and a wrong logger", () => {
    expect(() => errorHandler({ log: console } as never)).toThrow(
      'Unknown option "log" of errorHandler. Expected logger.',
    );
    expect(() => errorHandler({ logger: console as never })).toThrow("logger must be a logger");
  });
});
