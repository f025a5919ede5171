import { Agent, createLogger, TroupeError } from "@troupe/core";
import type { RunContext } from "@troupe/core";
import { createHandler, createService } from "@troupe/core/service";
import type { ServiceOptions, ServiceRequest } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { talker } from "../test/runnables.ts";
import { http } from "./http.ts";

/** Returns a handler of an agent `a`, the lines that it logs, and a function that posts JSON to it. */
function handle({ basePath, ...options }: ServiceOptions & { basePath?: string } = {}) {
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
  const service = createService({ agents: { a: talker("Hello.") }, logger, ...options });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  const handler = createHandler(service, [http()], { basePath });
  const post = async (
    path: string,
    body: unknown,
    init: { headers?: Record<string, string>; signal?: AbortSignal } = {},
  ) => {
    const headers = { "content-type": "application/json", ...init.headers };
    return await handler(
      new Request(`http://own.example${path}`, { method: "POST", body: JSON.stringify(body), ...init, headers }),
    );
  };
  return { handler, lines, post };
}

describe("a web-standard handler of HTTP", () => {
  it("answers a run with JSON, by a body without a length too", async () => {
    const response = await handle().post("/agents/a/run", { input: "Hi." });

    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expect(await response.json()).toMatchObject({ text: "Hello.", runId: response.headers.get("x-run-id") });
  });

  it("is a function, a handler with fetch, and the handlers of a route module", async () => {
    const { handler } = handle();
    const ask = () => new Request("http://own.example/agents");

    const answers = [handler, handler.fetch, handler.GET, handler.POST, handler.PATCH, handler.DELETE];
    for (const answer of answers) expect((await answer(ask())).status).toBe(200);
  });

  it("serves below its base path alone, and names it in the places of runs", async () => {
    const { post, handler } = handle({ basePath: "/api/v1" });
    const accepted = await post(
      "/api/v1/agents/a/run",
      { input: "Hi." },
      { headers: { prefer: "respond-async", "idempotency-key": "k" } },
    );

    expect([accepted.status, accepted.headers.get("location")]).toEqual([
      202,
      `/api/v1/runs/${accepted.headers.get("x-run-id")}`,
    ]);
    for (const path of ["/agents", "/api/agents", "/api/v1x/agents", "/"]) {
      expect((await handler(new Request(`http://own.example${path}`))).status).toBe(404);
    }
  });

  it("asks authenticate for the user of each request but probes, and answers with what it throws", async () => {
    const asked: string[] = [];
    const authenticate = ({ path, headers }: ServiceRequest) => {
      asked.push(path);
      const userId = headers.get("x-user");
      if (userId === "mallory") throw new TroupeError("unauthorized", "Who are you?");
      return userId === null ? undefined : { userId };
    };
    const { handler } = handle({ authenticate });
    const statusFor = async (path: string, user?: string) =>
      (
        await handler(
          new Request(`http://own.example${path}`, { headers: user === undefined ? {} : { "x-user": user } }),
        )
      ).status;

    expect(await statusFor("/sessions", "ada")).toBe(200);
    expect(await statusFor("/sessions")).toBe(401);
    expect(await statusFor("/sessions", "mallory")).toBe(401);
    expect(await statusFor("/health", "mallory")).toBe(200);
    expect(asked).toEqual(["/sessions", "/sessions", "/sessions"]);
  });

  it("hides an unexpected error of authenticate, and a principal that is none, from the client", async () => {
    const broken = () => {
      throw new Error("The directory is down.");
    };
    for (const authenticate of [broken, () => "ada" as never]) {
      const { handler, lines } = handle({ authenticate });
      const response = await handler(new Request("http://own.example/sessions"));

      expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining("directory")]);
      expect(lines).toHaveLength(1);
    }
  });

  it("answers in its own form, and logs, when trustAddresses throws", async () => {
    const trustAddresses = () => {
      throw new Error("No address.");
    };
    const { post, lines } = handle({ trustAddresses });
    const response = await post("/agents/a/run", { input: "Hi." });

    expect([response.status, await response.json()]).toMatchObject([500, { error: { code: "internal" } }]);
    expect(lines.join()).toContain("No address.");
  });

  it("gives runOptions its request", async () => {
    const seen: unknown[] = [];
    const model = new ScriptedModel().respond(() => "Hi.");
    const hooks = { beforeRun: ({ metadata }: RunContext) => void seen.push(metadata) };
    const agents = { a: new Agent({ name: "a", model, hooks }) };
    const { post } = handle({
      agents,
      runOptions: (request) => ({ metadata: { plan: request.headers.get("x-plan") } }),
    });

    await post("/agents/a/run", { input: "Hi." }, { headers: { "x-plan": "gold" } });
    expect(seen).toEqual([{ plan: "gold" }]);
  });
});

describe("a streamed answer", () => {
  it("ends the model's call when its reader cancels", async () => {
    const aborted = Promise.withResolvers<void>();
    const model = new ScriptedModel().respond(({ options }) => {
      options.signal?.addEventListener("abort", () => aborted.resolve());
      return { text: "One. Two.", chunkDelayMs: 600_000 };
    });
    const { post } = handle({ agents: { a: new Agent({ name: "a", model }) } });

    const response = await post("/agents/a/stream", { input: "Hi." });
    await response.body?.cancel();
    await expect(aborted.promise).resolves.toBeUndefined();
  });

  it("ends the model's call when the request is aborted before the answer", async () => {
    const left = new AbortController();
    const aborted = Promise.withResolvers<void>();
    const model = new ScriptedModel().respond(({ options }) => {
      options.signal?.addEventListener("abort", () => aborted.resolve());
      left.abort();
      return { hang: true };
    });
    const { post } = handle({ agents: { a: new Agent({ name: "a", model }) } });

    const response = await post("/agents/a/run", { input: "Hi." }, { signal: left.signal });
    expect(response.status).toBe(499);
    await aborted.promise;
  });

  it("ends without an error for its server when the request is aborted", async () => {
    const left = new AbortController();
    const model = new ScriptedModel().respond(() => ({ text: "One. Two.", chunkDelayMs: 600_000 }));
    const { post } = handle({ agents: { a: new Agent({ name: "a", model }) } });

    const response = await post("/agents/a/stream", { input: "Hi." }, { signal: left.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    left.abort();
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });
});

it("http does not cancel the body of a request that it refuses, which adapters of Node's requests do not bear", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(0x20)),
    cancel: () => void (isCancelled = true),
  });
  const headers = { "content-type": "application/json" };
  const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body, duplex: "half" };
  const response = await handle().handler(new Request("http://own.example/agents/a/run", init));

  expect([response.status, await response.json()]).toMatchObject([413, { error: { code: "payload_too_large" } }]);
  await new Promise(setImmediate);
  expect(isCancelled).toBe(false);
});
