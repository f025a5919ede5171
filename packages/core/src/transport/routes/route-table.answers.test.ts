import { WrittenResponse } from "@troupe-internal/fake-responses";
import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { exchangeOf } from "../exchange/test/exchange-of.ts";
import { answerFound, RouteTable } from "./route-table.ts";
import type { Route, RouteHandler } from "./route.ts";

const quiet: RouteHandler = () => undefined;

/** Answers a request below `/api` by a table, and returns the answer. */
async function answer(table: RouteTable, path: string, method: string) {
  const response = new WrittenResponse();
  const { exchange } = exchangeOf(response, { url: path, baseUrl: "/api", method });
  const found = table.find(path, method);
  if (found === undefined) throw new Error(`Nothing is found at ${path}.`);
  answerFound(exchange, found);
  await new Promise(setImmediate);
  const { status, headers, body, destroyed } = response;
  return { status, allow: headers["allow"], body, destroyed, route: exchange.record.route, params: exchange.params };
}

describe("answerFound", () => {
  it.each(["get", "post", "patch", "delete"] as const)(
    "answers %s, and notes its pattern and parameters",
    async (method) => {
      const own: RouteHandler = (exchange) => exchange.sendJson(200, [exchange.method, exchange.requestId]);
      const table = new RouteTable().add("x", [{ path: "/a/:id", [method]: own }]);
      const name = method.toUpperCase();
      const allow = [name, ...(method === "get" ? ["HEAD"] : []), "OPTIONS"].join(", ");

      const answered = await answer(table, "/a/1", name);
      expect(answered).toMatchObject({ status: 200, route: "/api/a/:id", params: { id: "1" } });
      expect(JSON.parse(answered.body)).toEqual([name, "q1"]);
      expect(await answer(table, "/a/1", "OPTIONS")).toMatchObject({ status: 204, body: "", allow });
      const refused = await answer(table, "/a/1", "PUT");
      expect(refused).toMatchObject({ status: 405, allow, route: "/api/a/:id" });
      expect(JSON.parse(refused.body)).toMatchObject({
        error: { code: "invalid_request", message: `PUT is not allowed on this path. Expected ${allow}.` },
      });
    },
  );

  it("names the methods of all protocols at a path in the order of their names in HTTP", async () => {
    const table = new RouteTable()
      .add("one", [{ path: "/a", delete: quiet, post: quiet }])
      .add("two", [{ path: "/a", get: quiet }])
      .add("three", [{ path: "/a", patch: quiet, serves: () => false }]);
    const allow = "GET, POST, DELETE, HEAD, OPTIONS";

    expect(await answer(table, "/a", "OPTIONS")).toMatchObject({ status: 204, allow });
    expect(await answer(table, "/a", "PATCH")).toMatchObject({ status: 405, allow });
    expect(await answer(table, "/a", "get")).toMatchObject({ status: 405, allow });
  });

  it.each(["GET", "HEAD", "OPTIONS", "PUT", "TRACE"])("answers %s by the handler of all methods", async (method) => {
    const table = new RouteTable().add("x", [
      { path: "/a", all: (exchange) => exchange.send(201, {}, exchange.method) },
    ]);

    expect(await answer(table, "/a", method)).toMatchObject({ status: 201, body: method, allow: undefined });
  });

  it("answers HEAD as GET, and a method's own handler before that of all methods", async () => {
    const table = new RouteTable().add("x", [
      {
        path: "/a",
        get: (exchange) => exchange.send(200, {}, "get"),
        all: (exchange) => exchange.send(200, {}, "all"),
      },
    ]);

    expect((await answer(table, "/a", "HEAD")).body).toBe("get");
    expect((await answer(table, "/a", "POST")).body).toBe("all");
  });

  const thrown = new TroupeError("conflict", "Not now.");
  const failing = {
    get: () => {
      throw thrown;
    },
    post: async () => await Promise.reject(thrown),
  };

  it.each(["GET", "POST"])("sends what the handler of %s throws, as JSON with its status", async (method) => {
    const { status, body } = await answer(new RouteTable().add("x", [{ path: "/a", ...failing }]), "/a", method);

    expect([status, JSON.parse(body)]).toMatchObject([409, { error: { code: "conflict", message: "Not now." } }]);
  });

  it.each([
    ["GET", thrown],
    ["POST", thrown],
    ["PUT", expect.objectContaining({ status: 405 })],
  ])("leaves an error of %s to the route's own form", async (method, expected) => {
    const failed: unknown[] = [];
    const route: Route = {
      path: "/a",
      ...failing,
      fail: (error, exchange) => {
        failed.push(error);
        exchange.send(418, {}, "own form");
      },
    };

    expect(await answer(new RouteTable().add("x", [route]), "/a", method)).toMatchObject({
      status: 418,
      body: "own form",
    });
    expect(failed).toEqual([expected]);
  });

  it("refuses a path that cannot be decoded, before its handler is called", async () => {
    const table = new RouteTable().add("x", [{ path: "/:a", get: () => expect.unreachable() }]);
    const { status, body, params } = await answer(table, "/%C3", "GET");

    expect([status, JSON.parse(body), params]).toMatchObject([400, { error: { code: "invalid_request" } }, {}]);
  });

  it("cuts an answer off that fails once it has begun", async () => {
    const broken: RouteHandler = (exchange) => {
      exchange.openStream(200, {}).write("a");
      throw thrown;
    };

    expect(await answer(new RouteTable().add("x", [{ path: "/a", get: broken }]), "/a", "GET")).toMatchObject({
      status: 200,
      body: "a",
      destroyed: true,
    });
  });
});
