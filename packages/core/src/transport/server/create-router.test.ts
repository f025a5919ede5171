import { WrittenResponse } from "@troupe-internal/fake-responses";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { Agent } from "../../agents/agent/agent.ts";
import { createLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Route } from "../routes/route.ts";
import type { Protocol } from "../service/protocol.ts";
import { createService } from "../service/service.ts";
import type { ServiceOptions } from "../service/service-options.ts";
import { createNodeHandler, createRouter, openService } from "./create-router.ts";
import type { NodeMiddleware } from "./run-handlers.ts";

const helper = new Agent({ name: "helper", model: new ScriptedModel() });

function serviceOf(options: ServiceOptions = {}) {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const service = createService({ logger: createLogger({ level: "debug", color: false, write }), ...options });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  return { service, lines };
}

/** A protocol with one route at `/a`, which answers with the path and the id of its request. */
function protocolOf(more: Partial<Route> = {}) {
  const get = vi.fn<(exchange: Exchange) => void>((exchange) =>
    exchange.sendJson(200, [exchange.basePath, exchange.path, exchange.requestId]),
  );
  const protocol: Protocol = { name: "one", routes: () => [{ path: "/a", get, ...more }] };
  return { protocol, get };
}

/** Sends a request to a handler, and returns what has come of it. */
async function ask(handler: ReturnType<typeof createRouter>, request: object) {
  const response = new WrittenResponse();
  const given = { url: "/a", method: "GET", headers: { host: "own.example" }, socket: {}, next: () => {}, ...request };
  const next = vi.fn<() => void>();
  handler(given as never, response.asResponse, next);
  const atOnce = response.status;
  await new Promise(setImmediate);
  return {
    atOnce,
    status: response.status,
    body: response.body,
    headers: response.headers,
    next: next.mock.calls,
    given,
  };
}

describe("a router", () => {
  it("answers below its mount path, with the id of the request in its answer", async () => {
    const { protocol } = protocolOf();
    const router = createRouter(serviceOf().service, [protocol]);
    const { atOnce, body, headers, next } = await ask(router, { baseUrl: "/api", headers: { "x-request-id": "mine" } });

    // The fake response answers for a host that has set an id already.
    expect([atOnce, JSON.parse(body), headers["content-type"], next]).toEqual([
      200,
      ["/api", "/a", "q1"],
      "application/json; charset=utf-8",
      [],
    ]);
  });

  it("drops Express's way to the route that it answers, and leaves that of other requests", async () => {
    const router = createRouter(serviceOf().service, [protocolOf().protocol]);

    expect((await ask(router, {})).given.next).toBeUndefined();
    expect((await ask(router, { url: "/b" })).given.next).toBeDefined();
  });

  it("leaves a path that no protocol serves to the host, untouched", async () => {
    const router = createRouter(serviceOf().service, [protocolOf().protocol]);
    const other = await ask(router, { url: "/b", method: "POST" });

    expect([other.next, other.status]).toEqual([[[]], undefined]);
  });

  it("answers its own errors, and a method that a path does not have", async () => {
    const failing = protocolOf({
      get: () => {
        throw new Error("sk-secret");
      },
    });
    const { service, lines } = serviceOf();
    const router = createRouter(service, [failing.protocol]);
    const failed = await ask(router, {});

    expect([failed.status, failed.next, failed.body]).toEqual([500, [], expect.not.stringContaining("sk-secret")]);
    expect(lines).toMatchObject([{ level: "error", requestId: "q1" }]);
    expect(await ask(router, { method: "PATCH" })).toMatchObject({ status: 405, next: [] });
  });

  it("refuses a request to another host, which neither its middleware nor the host gets", async () => {
    const middleware = vi.fn<NodeMiddleware>();
    const { service } = serviceOf({ allowedHosts: ["other.example"] });
    const router = createRouter(service, [protocolOf().protocol], { middleware: [middleware] });

    for (const url of ["/a", "/b"]) expect(await ask(router, { url })).toMatchObject({ status: 403, next: [] });
    expect(middleware).not.toHaveBeenCalled();
  });

  it("is refused for protocols that answer one method and path, and then performs no runs", () => {
    const { service } = serviceOf();
    const opened = vi.spyOn(service, "open");
    const two = { ...protocolOf().protocol, name: "two" };

    expect(() => createRouter(service, [protocolOf().protocol, two])).toThrow(
      "one and two both answer GET /a. Give one of them another path.",
    );
    expect(opened).not.toHaveBeenCalled();
  });
});

describe("the middleware of a router", () => {
  /** Middleware that notes the paths it gets, and goes on. */
  function noting() {
    const urls: string[] = [];
    const middleware = ((request: { url: string }, _response: unknown, next: () => void) => {
      urls.push(request.url);
      next();
    }) as NodeMiddleware;
    return { urls, middleware };
  }

  it("gets every request but public ones, before it is answered or goes on", async () => {
    const { urls, middleware } = noting();
    const open = { path: "/health", isPublic: true, get: (exchange: Exchange) => exchange.sendEmpty() };
    const protocol: Protocol = { name: "one", routes: () => [open, ...protocolOf().protocol.routes({} as never, [])] };
    const router = createRouter(serviceOf().service, [protocol], { middleware: [middleware] });

    expect((await ask(router, { url: "/a" })).status).toBe(200);
    expect((await ask(router, { url: "/health" })).status).toBe(204);
    expect((await ask(router, { url: "/b" })).next).toEqual([[]]);
    expect(urls).toEqual(["/a", "/b"]);
  });

  it("comes before authenticate, and its error is the answer", async () => {
    const authenticate = vi.fn<() => never>();
    const refusing = ((_request: unknown, _response: unknown, next: (error: unknown) => void) =>
      next(Object.assign(new Error("Slow down."), { status: 429, expose: true }))) as NodeMiddleware;
    const { protocol, get } = protocolOf();
    const router = createRouter(serviceOf({ authenticate }).service, [protocol], { middleware: [refusing] });
    const { status, body } = await ask(router, {});

    expect([status, JSON.parse(body)]).toMatchObject([429, { error: { code: "rate_limited", message: "Slow down." } }]);
    expect([authenticate.mock.calls, get.mock.calls]).toEqual([[], []]);
  });

  it("leaves the router with next(router), also from a path that is served", async () => {
    const leaving = ((_request: unknown, _response: unknown, next: (error: unknown) => void) =>
      next("router")) as NodeMiddleware;
    const { protocol, get } = protocolOf();
    const router = createRouter(serviceOf().service, [protocol], { middleware: [leaving] });

    expect(await ask(router, {})).toMatchObject({ status: undefined, next: [[]] });
    expect(get).not.toHaveBeenCalled();
  });
});

describe("the service of a router", () => {
  it("is opened by createRouter alone", () => {
    const { service } = serviceOf();
    const opened = vi.spyOn(service, "open");
    createNodeHandler(service, [], []);
    expect(opened).not.toHaveBeenCalled();
    createRouter(service, []);

    expect(opened).toHaveBeenCalledOnce();
  });

  it("logs that its runs cannot be performed", async () => {
    const { service, lines } = serviceOf({ agents: { helper }, storage: new InMemoryStorage(), durable: true });
    vi.spyOn(service, "open").mockRejectedValueOnce(new Error("No engine."));
    openService(service);
    await new Promise(setImmediate);

    expect(lines).toMatchObject([
      {
        level: "error",
        message: "The durable runs of the service cannot be performed in this process.",
        error: { message: "No engine." },
      },
    ]);
  });
});
