import { WrittenResponse } from "@troupe-internal/fake-responses";
import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { silentLogger } from "../../base/log/logger.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { exchangeOf } from "../exchange/test/exchange-of.ts";
import type { ServiceRequest } from "../request/service-request.ts";
import type { Route } from "../routes/route.ts";
import type { Protocol } from "./protocol.ts";
import { ServedRoutes } from "./served-routes.ts";
import { createService } from "./service.ts";
import type { ServiceOptions } from "./service-options.ts";

const ownForm = (error: unknown, exchange: Exchange): void => {
  exchange.send(418, {}, `in own form: ${(error as Error).message}`);
};

/** Answers a request by the routes of a protocol `one`, and returns the answer. */
async function ask(routes: readonly Route[], request: object, options: ServiceOptions = {}) {
  const service = createService({ logger: silentLogger, ...options });
  const served = new ServedRoutes(service, [{ name: "one", routes: () => routes }]);
  const response = new WrittenResponse();
  const { exchange } = exchangeOf(response, {
    socket: {},
    ...request,
    headers: { host: "own.example", ...headersOf(request) },
  });
  const admitted = served.admit(exchange);
  if (admitted?.found !== undefined) served.answer(exchange, admitted.found);
  const isAtOnce = response.headersSent;
  await new Promise(setImmediate);
  return { admitted, isAtOnce, status: response.status, body: response.body, exchange };
}

const headersOf = ({ headers = {} }: { headers?: object }) => headers;

/** A route that answers with what it knows of its user. */
function open(more: Partial<Route> = {}) {
  const handler = vi.fn<(exchange: Exchange) => void>((exchange) =>
    exchange.sendJson(200, { user: exchange.principal?.userId ?? null, protocol: exchange.protocol }),
  );
  return { handler, route: { path: "/a", get: handler, post: handler, delete: handler, ...more } satisfies Route };
}

describe("the routes of the protocols of a server", () => {
  it("are asked for once, with the service and all protocols beside each other", () => {
    const service = createService({});
    const routes = vi.fn<Protocol["routes"]>(() => []);
    const protocols = [
      { name: "one", routes },
      { name: "two", routes },
    ];
    const served = new ServedRoutes(service, protocols);

    expect(routes.mock.calls).toEqual([
      [service, protocols],
      [service, protocols],
    ]);
    expect(served).toBeDefined();
  });

  it("are refused where two protocols answer one method and path", () => {
    const routes = () => [open().route];

    expect(
      () =>
        new ServedRoutes(createService({}), [
          { name: "http", routes },
          { name: "page", routes },
        ]),
    ).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: "http and page both answer GET /a. Give one of them another path.",
      }),
    );
  });
});

describe("a request to another host", () => {
  const options = { allowedHosts: ["other.example"] };
  const message = "The host of the request is not one of this service. The option allowedHosts lists its hosts.";

  it.each<[string, Partial<Route>, object]>([
    ["a route", {}, { url: "/a" }],
    ["a public route", { isPublic: true }, { url: "/a" }],
    ["a method that is not served", {}, { url: "/a", method: "PUT" }],
    ["OPTIONS", {}, { url: "/a", method: "OPTIONS" }],
    ["a path at which nothing is served", {}, { url: "/b" }],
  ])("is refused for %s, before anyone is asked", async (_what, more, request) => {
    const { handler, route } = open(more);
    const authenticate = vi.fn<() => undefined>();
    const { admitted, status, body } = await ask([route], request, { ...options, authenticate });

    expect([admitted, status, JSON.parse(body)]).toMatchObject([
      undefined,
      403,
      { error: { code: "forbidden", message } },
    ]);
    expect([handler.mock.calls, authenticate.mock.calls]).toEqual([[], []]);
  });

  it("is refused in the form of its route, and as JSON where there is none", async () => {
    const { route } = open({ fail: ownForm });

    expect(await ask([route], { url: "/a" }, options)).toMatchObject({ status: 418, body: `in own form: ${message}` });
    expect(await ask([route], { url: "/b" }, options)).toMatchObject({ status: 403 });
  });
});

describe("a request of a page of another site", () => {
  const message =
    "A page of another site sent this request. The option allowedOrigins lists the origins that may send it.";
  const from = (type: string | undefined, method = "POST", url = "/a") => ({
    url,
    method,
    headers: { origin: "https://evil.example", ...(type !== undefined && { "content-type": type }) },
  });

  it.each([
    undefined,
    "",
    " ",
    "text/plain",
    "Text/Plain ; charset=utf-8",
    "text/plain;application/json",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "; application/json",
  ])("is refused as a POST of the type %j, which needs no preflight", async (type) => {
    const { handler, route } = open({ fail: ownForm });

    expect(await ask([route], from(type))).toMatchObject({
      admitted: undefined,
      status: 418,
      body: `in own form: ${message}`,
    });
    expect(handler).not.toHaveBeenCalled();
  });

  it.each(["application/json", "text/plainer", "text/html", "x/y; text/plain"])(
    "is answered as a POST of the type %j, which needs one",
    async (type) => {
      expect(await ask([open().route], from(type))).toMatchObject({ status: 200 });
    },
  );

  it.each(["GET", "DELETE", "OPTIONS"])("is answered as %s", async (method) => {
    expect((await ask([open().route], from(undefined, method))).status).toBe(method === "OPTIONS" ? 204 : 200);
  });

  it("goes on to the host where nothing is served, and is refused by a public route", async () => {
    const { route } = open({ isPublic: true });

    expect(await ask([route], from("text/plain", "POST", "/b"))).toMatchObject({
      admitted: { found: undefined },
      status: undefined,
    });
    expect(await ask([route], from("text/plain"))).toMatchObject({ admitted: undefined, status: 403 });
  });

  it("is answered from an allowed origin, and so is one of an own page or of no page", async () => {
    const allowed = { allowedOrigins: ["https://evil.example"] };
    const own = { url: "/a", method: "POST", headers: { origin: "http://own.example" } };

    expect((await ask([open().route], from("text/plain"), allowed)).status).toBe(200);
    expect((await ask([open().route], own)).status).toBe(200);
    expect((await ask([open().route], { url: "/a", method: "POST" })).status).toBe(200);
  });
});

describe("the user of a request to a route", () => {
  const ada = { userId: "ada" };

  it("is whom authenticate returns, later too, in place of the one that the host has set", async () => {
    const asked: ServiceRequest[] = [];
    const authenticate = async (request: ServiceRequest) => {
      asked.push(request);
      return await Promise.resolve(ada);
    };
    const request = { url: "/a?b=c", baseUrl: "/api", principal: { userId: "bob" } };
    const { body, isAtOnce } = await ask([open().route], request, { authenticate });

    expect([isAtOnce, JSON.parse(body)]).toEqual([false, { user: "ada", protocol: "one" }]);
    expect(asked).toMatchObject([{ protocol: "one", method: "GET", path: "/api/a", principal: { userId: "bob" } }]);
    expect(asked[0]?.headers.get("host")).toBe("own.example");
    const nobody = await ask([open().route], request, { authenticate: () => undefined });
    expect(JSON.parse(nobody.body)).toEqual({ user: null, protocol: "one" });
  });

  it("is the one that the host has set without authenticate, and the answer begins at once", async () => {
    const { body, isAtOnce } = await ask([open().route], { url: "/a", principal: ada });

    expect([isAtOnce, JSON.parse(body)]).toEqual([true, { user: "ada", protocol: "one" }]);
  });

  it.each<[string, number, Partial<Route>]>([
    ["GET", 200, { isPublic: true }],
    ["POST", 200, { isPublic: true }],
    ["OPTIONS", 204, {}],
    ["OPTIONS", 200, { all: open().handler, isPublic: true }],
  ])("is not asked for by %s with the status %i at a route with %j", async (method, status, more) => {
    const authenticate = vi.fn<() => never>();

    expect(await ask([open(more).route], { url: "/a", method }, { authenticate })).toMatchObject({
      status,
      isAtOnce: true,
    });
    expect(authenticate).not.toHaveBeenCalled();
  });

  it.each(["GET", "HEAD", "POST", "PUT"])(
    "is asked for once by %s, before its handler or its refusal",
    async (method) => {
      const authenticate = vi.fn<() => never>(() => {
        throw new TroupeError("unauthorized", "Who are you?");
      });
      const { handler, route } = open();
      const { status, exchange } = await ask([route], { url: "/a", method }, { authenticate });

      expect([status, exchange.protocol]).toEqual([401, "one"]);
      expect([authenticate.mock.calls.length, handler.mock.calls]).toEqual([1, []]);
    },
  );

  it("is asked for by OPTIONS where a handler of all methods answers it", async () => {
    const authenticate = vi.fn<() => never>(() => {
      throw new TroupeError("unauthorized", "Who are you?");
    });
    const all = open().handler;

    expect(await ask([open({ all }).route], { url: "/a", method: "OPTIONS" }, { authenticate })).toMatchObject({
      status: 401,
    });
    expect(all).not.toHaveBeenCalled();
  });

  it("is not asked for where nothing is served", async () => {
    const authenticate = vi.fn<() => never>();

    expect(await ask([open().route], { url: "/b" }, { authenticate })).toMatchObject({
      admitted: { found: undefined },
    });
    expect(authenticate).not.toHaveBeenCalled();
  });

  it.each<[string, () => never]>([
    [
      "No.",
      () => {
        throw new TroupeError("unauthorized", "No.");
      },
    ],
    ["No later.", (async () => await Promise.reject(new TroupeError("unauthorized", "No later."))) as () => never],
    ["authenticate(request) must be { userId, tenantId? }, both strings.", () => "ada" as never],
  ])("is an error in the form of the route: %s", async (message, authenticate) => {
    const { handler, route } = open({ fail: ownForm });

    expect((await ask([route], { url: "/a" }, { authenticate })).body).toBe(`in own form: ${message}`);
    expect(handler).not.toHaveBeenCalled();
  });

  it("is not told what went wrong in authenticate", async () => {
    const authenticate = () => {
      throw new Error("The directory is down.");
    };
    const { status, body } = await ask([open().route], { url: "/a" }, { authenticate });

    expect([status, body]).toEqual([500, expect.not.stringContaining("directory")]);
  });
});
