import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, createLogger, InMemoryStorage, TroupeError, Workflow } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import type { Protocol, Route } from "@troupe/core/transport";
import express from "express";
import type { Express, RequestHandler } from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { durable } from "../test/stored-runs.ts";
import { talker } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";
import { createAgentRouter } from "./create-agent-router.ts";
import { http } from "./http.ts";
import { requestLogger } from "./log/request-logger.ts";

const page: RequestHandler = (_, response) => void response.end("the host's page");
const hello = JSON.stringify({ input: "Hi.", sessionId: "s" });
const key = { "idempotency-key": "k" };

/** Lets an app listen until the test is over. */
async function listen(app: Express): Promise<{ url: string }> {
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe("the service of a router", () => {
  it("is that of its options, and another router of it serves the same sessions and runs", async () => {
    const agent = talker();
    const router = createAgentRouter({ agents: { a: agent }, maxBodyBytes: 7000 });
    onTestFinished(async () => await router.service.close({ graceMs: 0 }));
    expect([router.service.agents, router.service.settings.maxBodyBytes]).toEqual([new Map([["a", agent]]), 7000]);
    expect(Object.keys(router)).toEqual(["service"]);

    // Both stand in one app, one below a path of its own.
    const second = createRouter(router.service, [http()]) as RequestHandler;
    const app = express().use("/second", second).use(router);
    const { url } = await listen(app);
    const headers = { "content-type": "application/json" };
    const begun = await fetch(`${url}/agents/a/run`, { method: "POST", headers: { ...headers, ...key }, body: hello });
    const again = await fetch(`${url}/second/agents/a/run`, {
      method: "POST",
      headers: { ...headers, ...key },
      body: hello,
    });
    expect([begun.status, again.status]).toEqual([200, 200]);
    expect(await again.json()).toEqual(await begun.json());
    expect(again.headers.get("content-location")).toBe(`/second${begun.headers.get("content-location")}`);
    expect(await (await fetch(`${url}/second/sessions/s`)).json()).toMatchObject({ sessionId: "s", turns: 1 });
  });

  it("ends with close: it is not ready, refuses runs, closes connections, and goes on being alive", async () => {
    const onNode = "a web-standard server closes its connections by itself";
    const onHost = "a server that still listens when the service is closed";
    const service = await serve({ agents: { a: talker() } }, { onNode, onHost });
    let isClosed = false;
    void service.served.closed.then(() => (isClosed = true));
    expect([(await service.ask("/ready")).status, isClosed]).toEqual([200, false]);

    await service.served.close();
    const refused = await service.post("/agents/a/run", { input: "Hi." });
    expect(refused).toMatchObject({ status: 503, json: { error: { code: "unavailable" } } });
    expect(refused.headers.get("connection")).toBe("close");
    expect((await service.ask("/ready")).status).toBe(503);
    expect((await service.ask("/health")).status).toBe(200);
    expect(isClosed).toBe(true);
    await service.served.close();
  });
});

describe("the limits of a service", () => {
  const hanging = () => {
    const model = new ScriptedModel().respond(() => ({ text: "One", hang: true }));
    return new Agent({ name: "a", model, storage: new InMemoryStorage() });
  };

  it.each<[string, object, Record<string, string>]>([
    ["/agents/a/run", { input: "x" }, {}],
    ["/agents/a/stream", { input: "x" }, {}],
    ["/agents/a/run", { input: "x" }, key],
    ["/agents/a/stream", { input: "x" }, key],
    ["/workflows/w/run", {}, {}],
  ])("end a run of %s with the body %j and the headers %j", async (path, body, headers) => {
    const workflow = new Workflow({ name: "w", initialState: {}, steps: [{ name: "ask", agent: hanging() }] });
    const served = { agents: { a: hanging() }, workflows: { w: workflow } };
    const service = await serve({ ...served, limits: { durationMs: 30 } });

    expect((await service.post(path, body, headers)).text).toContain("limit_exceeded");
  });

  it("end a durable run", async () => {
    const agents = { a: hanging() };
    const service = await serve({ agents, runs: await durable({ agents }), limits: { durationMs: 30 } });

    expect((await service.post("/agents/a/run", { input: "x" })).text).toContain("limit_exceeded");
  });

  it("give way as a whole to limits that runOptions returns, and to nothing else", async () => {
    const agents = { a: hanging() };
    const limits = { durationMs: 30 };
    const other = await serve({
      agents,
      limits: { durationMs: 600_000, totalTokens: 1 },
      runOptions: () => ({ limits }),
    });
    expect((await other.post("/agents/a/run", { input: "x" })).text).toContain("limit_exceeded");

    for (const returned of [undefined, {}, { limits: undefined }, { metadata: {} }]) {
      const service = await serve({ agents, limits, runOptions: () => returned });
      expect((await service.post("/agents/a/run", { input: "x" })).text).toContain("limit_exceeded");
    }
  });

  it.each([{ durationMs: 0 }, { tokens: 1 }, 7])("are refused where they are none: %j", (limits) => {
    expect(() => createAgentRouter({ limits: limits as object })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: expect.stringContaining("limits") as string,
      }) as Error,
    );
  });
});

describe("a path below those of a service", () => {
  it.each(["agents", "teams", "workflows", "runs", "sessions"])(
    "is not found at /%s if no route serves it, whatever the method and the host's pages",
    async (name) => {
      const service = await serve({ agents: { a: talker() } }, { behind: [page] });
      const message = "Nothing was found at this path.";
      const capital = name.toUpperCase();

      for (const path of [`/${name}/a/b/c/d`, `/${name}//`, `/${capital}/a/b/c/d/?x=1`, `/${name}/%zz/b/c/d`]) {
        for (const method of ["GET", "POST", "PUT", "OPTIONS"]) {
          const answer = await service.ask(path, { method });
          expect([path, answer.status, answer.json]).toMatchObject([
            path,
            404,
            { error: { code: "not_found", message } },
          ]);
        }
      }
      for (const path of [`/${name}x`, `/x/${name}/a`]) expect((await service.ask(path)).text).toBe("the host's page");
    },
  );

  it.each(["GET", "POST"])(
    "a path below those of a service with a broken escape is no path of a route, and %s of it is refused",
    async (method) => {
      const lines: { path?: string }[] = [];
      const logger = createLogger({
        level: "info",
        color: false,
        write: (line) => lines.push(JSON.parse(line) as { path: string }),
      });
      const onNode = "requestLogger reads the response of Node";
      const service = await serve({ agents: { a: talker() } }, { before: [requestLogger({ logger })], onNode });
      const answer = await service.ask("/runs/%zz", { method });

      expect(answer).toMatchObject({ status: 400, json: { error: { code: "invalid_request" } } });
      await vi.waitFor(() => expect(lines.map(({ path }) => path)).toEqual(["/runs/%zz"]));
    },
  );

  it("is served by another protocol that has it, in either order", async () => {
    const other: Protocol = {
      name: "other",
      routes: () => [{ path: "/agents/:name/extra", get: (exchange) => exchange.sendJson(200, exchange.params) }],
    };
    for (const protocols of [
      [http(), other],
      [other, http()],
    ]) {
      const { url } = await listen(express().use(createRouter(createService({}), protocols) as RequestHandler));
      const ask = async (path: string) => await fetch(url + path);
      const [found, missing] = [await ask("/agents/a/extra"), await ask("/agents/a/other")];
      expect([found.status, await found.json()]).toEqual([200, { name: "a" }]);
      expect([missing.status, await missing.json()]).toMatchObject([404, { error: { code: "not_found" } }]);
    }
  });

  it.each<[string, Partial<Route>]>([
    ["/agents/:id/run", { post: () => undefined }],
    ["/sessions", { get: () => undefined }],
    ["/runs/*", { all: () => undefined }],
    ["/health", { all: () => undefined }],
  ])("of two protocols that both answer %s is a mistake of the host, which names both", (path, handlers) => {
    const other: Protocol = { name: "other", routes: () => [{ path, ...handlers }] };
    const make = () => createRouter(createService({}), [http(), other]);

    expect(make).toThrow(TroupeError);
    expect(make).toThrow(/\bhttp\b.*\bother\b|\bother\b.*\bhttp\b/);
  });
});
