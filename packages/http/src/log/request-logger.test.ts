import { once } from "node:events";
import { connect } from "node:net";
import { Agent, createLogger } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { watchErrorStream } from "@troupe-internal/interleavings";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { durable, readPart } from "../../test/stored-runs.ts";
import { head } from "../../test/raw.ts";
import { counter, scripted, talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";
import type { Hosting } from "../../test/serve.ts";
import { requestLogger } from "./request-logger.ts";

/** Serves a router behind a request logger, and keeps the lines of that logger. */
async function serveLogged(options: Parameters<typeof serve>[0], hosting: Hosting = {}) {
  const lines: string[] = [];
  const logger = createLogger({ level: "info", write: (line) => lines.push(line) });
  const service = await serve(options, {
    onNode: "requestLogger reads the response of Node",
    ...hosting,
    before: [requestLogger({ logger }), ...(hosting.before ?? [])],
  });
  const entries = async (count: number) => {
    await vi.waitUntil(() => lines.length >= count);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { service, entries, lines };
}

describe("requestLogger", () => {
  it("writes one line of JSON per request, with status, duration and tokens [http.request-logger]", async () => {
    const { service, entries, lines } = await serveLogged({ agents: { helper: talker() } }, { at: "/api" });

    const { headers } = await service.post("/agents/helper/run", { input: "x" });
    const [entry] = await entries(1);

    expect(entry).toEqual({
      time: expect.any(String),
      level: "info",
      message: "request",
      method: "POST",
      path: "/api/agents/:name/run",
      name: "helper",
      status: 200,
      runId: headers.get("x-run-id"),
      tokens: 15,
      durationMs: expect.any(Number),
      requestId: headers.get("x-request-id"),
    });
    expect(lines[0]?.split("\n")).toEqual([expect.any(String), ""]);
  });

  it("counts the tokens of streams, workflows and runs that failed", async () => {
    const { agent } = scripted("One.", { toolCalls: [{ name: "none" }] }, { error: new Error("Broken.") });
    const { service, entries } = await serveLogged({ agents: { a: agent }, workflows: { w: counter() } });

    await service.post("/agents/a/stream", { input: "x" });
    await service.post("/agents/a/run", { input: "x" });
    await service.post("/workflows/w/run", {});

    expect((await entries(3)).map(({ status, tokens }) => [status, tokens])).toMatchObject([
      [200, 15],
      [500, 15],
      [200, 0],
    ]);
  });

  it("counts the tokens of durable runs, whole and as a stream", async () => {
    const [agent, workflow] = [talker(), counter()];
    const runs = await durable({ agents: { a: agent }, workflows: { w: workflow } });
    const { service, entries } = await serveLogged({ agents: { a: agent }, workflows: { w: workflow }, runs });

    await service.post("/agents/a/run", { input: "x" });
    await service.post("/agents/a/stream", { input: "x" });
    await service.post("/workflows/w/stream", {});

    expect((await entries(3)).map(({ tokens }) => tokens)).toEqual([15, 15, 0]);
  });

  it("logs unknown paths without their query, shortened", async () => {
    const { service, entries } = await serveLogged({ agents: { a: talker() } });

    await service.ask("/nowhere?token=sk-secret");
    await service.post(`/agents/${"x".repeat(1000)}/run`, {});
    await service.ask(`/${"y".repeat(1000)}`);
    await service.ask("/sessions/my-session?limit=1");

    const logged = await entries(4);
    expect(logged.map(({ path }) => path)).toEqual([
      "/nowhere",
      "/agents/:name/run",
      `/${"y".repeat(199)}`,
      "/sessions/:id",
    ]);
    expect(logged.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  it("logs no content, headers, keys or session ids [http.redacted-logs]", async () => {
    const model = new ScriptedModel().respond(() => "the secret answer");
    const agent = new Agent({ name: "a", model, instructions: "secret instructions" });
    const { service, entries, lines } = await serveLogged({ agents: { a: agent } });
    const keys = {
      "x-openai-api-key": "sk-1",
      "x-anthropic-api-key": "sk-2",
      "x-google-api-key": "sk-3",
      "x-api-key": "sk-4",
    };
    const body = { input: "my secret", sessionId: "secret-session", userId: "secret-user", apiKey: "sk-5" };

    await service.post("/agents/a/run?key=sk-6", body, { ...keys, authorization: "Bearer sk-7", cookie: "secret=1" });
    await service.post("/agents/a/stream", { ...body, surplus: "secret" }, keys);
    await entries(2);

    expect(lines.join("")).not.toMatch(/secret|sk-\d/);
  });

  it("logs clients that disconnect as aborted", async () => {
    const model = new ScriptedModel().respond(() => ({ text: ["one ", "two"], hang: true }));
    const { service, entries } = await serveLogged({ agents: { a: new Agent({ name: "a", model }) } });
    const socket = connect({ port: service.port, host: "127.0.0.1" });
    const body = '{"input":"x"}';
    socket.write(head("/agents/a/run", "Content-Type: application/json", `Content-Length: ${body.length}`) + body);
    await once(socket, "connect");
    await vi.waitUntil(() => model.calls.length > 0);
    socket.destroy();

    const [entry] = await entries(1);

    expect(entry).toMatchObject({ path: "/agents/:name/run", status: 499, aborted: true });
  });

  it("logs the status of an answer that had begun when its client disconnected", async () => {
    const model = new ScriptedModel().respond(() => ({ text: ["one ", "two"], hang: true }));
    const { service, entries } = await serveLogged({ agents: { a: new Agent({ name: "a", model }) } });
    await readPart(service, { method: "POST", path: "/agents/a/stream", body: { input: "x" }, cutAfter: 1 });

    const [entry] = await entries(1);
    expect(entry).toMatchObject({ path: "/agents/:name/stream", status: 200, aborted: true });
    expect(entry).not.toHaveProperty("tokens");
  });

  it("sets the request id, which the router keeps", async () => {
    const { service, entries } = await serveLogged({});

    const { headers } = await service.ask("/health", { headers: { "x-request-id": "trace-1" } });

    expect(headers.get("x-request-id")).toBe("trace-1");
    expect(await entries(1)).toMatchObject([{ requestId: "trace-1", path: "/health" }]);
  });

  it("works as a middleware of the router, and keeps hostile paths in one line", async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: "info", write: (line) => lines.push(line) });
    const service = await serve({ middleware: [requestLogger({ logger })] });

    await service.ask("/a%0ab\u{202e}c");

    await vi.waitUntil(() => lines.length > 0);
    expect(lines.join("").trimEnd()).not.toMatch(/[\n\u{202e}]/u);
  });

  it("writes to the standard error stream by default", async () => {
    const { lines, restore } = watchErrorStream();
    onTestFinished(restore);
    const service = await serve({}, { onNode: "requestLogger reads the response of Node", before: [requestLogger()] });

    await service.ask("/health");
    await vi.waitUntil(() => lines.length > 0);

    expect(lines[0]).toContain("/health");
  });

  it("refuses unknown options and a wrong logger", () => {
    expect(() => requestLogger({ level: "info" } as never)).toThrow('Unknown option "level" of requestLogger');
    expect(() => requestLogger({ logger: {} as never })).toThrow("logger must be a logger");
  });
});
