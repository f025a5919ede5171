import { describe, expect, it, onTestFinished, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { createLogger } from "../../base/log/logger.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { ServiceRequest } from "../request/service-request.ts";
import type { Route } from "../routes/route.ts";
import { createService } from "../service/service.ts";
import type { ServiceOptions } from "../service/service-options.ts";
import { createHandler, nothingFound } from "./create-handler.ts";
import type { HandlerOptions } from "./create-handler.ts";

type Line = { level: string; message: string } & Record<string, unknown>;

/** A handler of one route, with its service and the lines of its log. */
function handle(route: Route, options: HandlerOptions = {}, serviceOptions: ServiceOptions = {}) {
  const lines: Line[] = [];
  const logger = createLogger({ level: "debug", color: false, write: (line) => lines.push(JSON.parse(line) as Line) });
  const service = createService({ logger, ...serviceOptions });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  const handler = createHandler(service, [{ name: "one", routes: () => [route] }], options);
  return { handler, service, lines };
}

const ask = (path: string, init: RequestInit = {}) => new Request(`http://own.example${path}`, init);

/** Answers with what a route knows of its request. */
const told = (exchange: Exchange): void =>
  exchange.sendJson(200, {
    path: exchange.path,
    base: exchange.basePath,
    link: exchange.linkTo("/x"),
    address: exchange.remoteAddress ?? null,
    id: exchange.params["id"] ?? null,
  });
const route = { path: "/a/:id", get: told, post: told, patch: told, delete: told };

describe("a handler", () => {
  it("is a function, has fetch, and a function for each method of a route module", async () => {
    const { handler } = handle(route);
    for (const answer of [handler, handler.fetch, handler.GET, handler.POST, handler.PATCH, handler.DELETE]) {
      const response = await answer(ask("/a/%C3%A9"));
      expect([response.status, await response.json()]).toEqual([
        200,
        { path: "/a/%C3%A9", base: "", link: "/x", address: null, id: "é" },
      ]);
    }

    expect(Object.keys(handler)).toEqual(["fetch", "GET", "POST", "PATCH", "DELETE"]);
  });

  it.each(["/", "/a", "/b/1", "/a/1/2"])("answers %j, at which nothing is served, as not found", async (path) => {
    const response = await handle(route).handler(ask(path, { headers: { "x-request-id": "mine" } }));

    expect([response.status, response.headers.get("x-request-id"), await response.json()]).toEqual([
      404,
      "mine",
      { error: { code: "not_found", message: "Nothing was found at this path.", requestId: "mine" } },
    ]);
    expect(nothingFound()).toBeInstanceOf(TroupeError);
  });

  it("answers a request to another host without asking for its user", async () => {
    const authenticate = vi.fn<() => never>();
    const { handler } = handle(route, {}, { allowedHosts: ["other.example"], authenticate });

    for (const path of ["/a/1", "/b"]) {
      const response = await handler(ask(path, { headers: { host: "own.example" } }));
      expect([response.status, await response.json()]).toMatchObject([403, { error: { code: "forbidden" } }]);
    }
    expect(authenticate).not.toHaveBeenCalled();
  });

  it("signs the user of a request in, with the protocol, the whole path and the request itself", async () => {
    const asked: ServiceRequest[] = [];
    const authenticate = async (request: ServiceRequest) => {
      asked.push(request);
      return await Promise.resolve({ userId: "ada" });
    };
    const get = (exchange: Exchange) => exchange.sendJson(200, exchange.principal);
    const { handler } = handle({ path: "/a", get }, { basePath: "/api" }, { authenticate });
    const request = ask("/api/a?b=c", { headers: { "x-plan": "gold" } });

    expect(await (await handler(request, { remoteAddress: "10.0.0.1" })).json()).toEqual({ userId: "ada" });
    expect(asked).toMatchObject([
      { protocol: "one", method: "GET", path: "/api/a", remoteAddress: "10.0.0.1", native: request },
    ]);
    expect(asked[0]?.headers.get("x-plan")).toBe("gold");
  });

  it("opens its service, and is refused for protocols that answer one method and path", () => {
    const { service } = handle(route);
    const opened = vi.spyOn(service, "open");
    const protocol = (name: string) => ({ name, routes: () => [route] });
    createHandler(service, [protocol("one")]);
    expect(opened).toHaveBeenCalledOnce();

    expect(() => createHandler(service, [protocol("one"), protocol("two")])).toThrow(
      "one and two both answer GET /a/:id. Give one of them another path.",
    );
    expect(opened).toHaveBeenCalledOnce();
  });
});

describe("the base path of a handler", () => {
  it.each([
    ["/api", "/api/a/1", { path: "/a/1", base: "/api", link: "/api/x" }],
    ["/api/v1", "/api/v1/a/1/", { path: "/a/1/", base: "/api/v1", link: "/api/v1/x" }],
    ["", "/a/1", { path: "/a/1", base: "", link: "/x" }],
  ])("%j is cut off from %s", async (basePath, path, expected) => {
    const response = await handle(route, { basePath }).handler(ask(path));

    expect([response.status, await response.json()]).toMatchObject([200, expected]);
  });

  it("may be the whole path of a request, and leaves every path outside of it unserved, also the root", async () => {
    const { handler } = handle({ path: "/", get: told }, { basePath: "/api" });

    for (const path of ["/api", "/api/", "/api?a=b"]) expect((await handler(ask(path))).status).toBe(200);
    for (const path of ["/", "/apix", "/other/api", "/API"]) expect((await handler(ask(path))).status).toBe(404);
  });

  it.each(["api", "/api/", "/", "/a//b", "/a?b", "/a#b", 7])("is refused as %j", (basePath) => {
    const got = typeof basePath === "string" ? "a string" : "7";

    expect(() => handle(route, { basePath: basePath as string })).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: `basePath must be a path such as "/api", without a slash at its end, got ${got}.`,
      }),
    );
    expect(() => handle(route, { base: "/api" } as HandlerOptions)).toThrow(
      'Unknown option "base" of createHandler. Expected basePath.',
    );
  });
});

describe("what a platform passes beside a request", () => {
  it.each<[unknown[], string | null]>([
    [[], null],
    [[undefined, null, "text", 7], null],
    [[{ remoteAddress: 7 }, { remoteAddress: "10.0.0.1" }], "10.0.0.1"],
    [[{ remoteAddress: "10.0.0.1" }, { remoteAddress: "10.0.0.2" }], "10.0.0.1"],
  ])("names the address of its client, in %j: %j", async (context, address) => {
    const { handler } = handle(route);

    expect(await (await handler(ask("/a/1"), ...context)).json()).toMatchObject({ address });
    expect(await (await handler.fetch(ask("/a/1"), ...context)).json()).toMatchObject({ address });
  });

  /** A platform that collects what it waits for, by a method that needs its object. */
  class Platform {
    readonly #works: Promise<unknown>[] = [];

    waitUntil(work: Promise<unknown>): void {
      this.#works.push(work);
    }

    /** Returns true once everything is over that it waits for. */
    async isQuiet(): Promise<boolean> {
      await new Promise(setImmediate);
      const over = Promise.all(this.#works).then(() => this.#works.length > 0);
      return await Promise.race([over, new Promise<false>((resolve) => void setImmediate(resolve, false))]);
    }
  }

  it("waits for the end of an answer, then for its run, then for the titles of sessions", async () => {
    const run = Promise.withResolvers<void>();
    const titles = Promise.withResolvers<void>();
    const get = (exchange: Exchange) => {
      exchange.record.run = Promise.resolve({ over: run.promise });
      exchange.openStream(200, {}).end("é");
    };
    const { handler, service } = handle({ path: "/a", get });
    const flushed = vi.spyOn(service.sessions, "flush").mockImplementationOnce(async () => await titles.promise);
    const platform = new Platform();
    const response = await handler(ask("/a"), {}, platform);
    expect([await platform.isQuiet(), flushed.mock.calls]).toEqual([false, []]);
    expect(await response.text()).toBe("é");
    expect([await platform.isQuiet(), flushed.mock.calls]).toEqual([false, []]);
    run.resolve();
    expect([await platform.isQuiet(), flushed.mock.calls]).toEqual([false, [[]]]);
    titles.resolve();

    expect(await platform.isQuiet()).toBe(true);
  });

  it("waits for nothing more of an answer that is over, of a refusal and of a client that has left", async () => {
    const { handler } = handle(route, {}, { allowedHosts: ["own.example"] });
    const left = AbortSignal.abort();
    for (const request of [
      ask("/a/1", { headers: { host: "own.example" } }),
      ask("/b", { headers: { host: "own.example" } }),
      ask("/a/1", { headers: { host: "other.example" } }),
      ask("/a/1", { headers: { host: "own.example" }, signal: left }),
    ]) {
      const platform = new Platform();
      await handler(request, platform);

      expect(await platform.isQuiet()).toBe(true);
    }
  });

  it("is told of no failure, which the log has", async () => {
    const { handler, service, lines } = handle(route);
    vi.spyOn(service.sessions, "flush").mockRejectedValueOnce(new Error("No titles."));
    const platform = new Platform();
    await handler(ask("/a/1"), platform);

    expect(await platform.isQuiet()).toBe(true);
    expect(lines).toMatchObject([
      { level: "error", message: "What outlived an answer has failed.", error: { message: "No titles." } },
    ]);
  });
});
