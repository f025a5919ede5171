import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createLogger, TroupeError } from "@troupe/core";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { Service } from "../../test/service.ts";
import { sendJson } from "../exchange/send-json.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { mountRoute } from "./mount-route.ts";
import type { Route, RouteHandler } from "./mount-route.ts";

/** Serves one route below `/api` until the test is over. */
async function serveRoute(route: Route): Promise<Service> {
  const router = express.Router();
  mountRoute(router, { logger: createLogger() } as RouterSettings, route);
  const server = express().use("/api", router).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return new Service((server.address() as AddressInfo).port, "/api");
}

const answer: RouteHandler = ({ request, response, requestId }) => {
  const { route } = requestRecordOf(response);
  sendJson(response, 200, { method: request.method, route, isNamed: response.getHeader("X-Request-Id") === requestId });
};

describe("a route", () => {
  it.each(["get", "post", "patch", "delete"] as const)("answers %s, and notes its pattern", async (method) => {
    const service = await serveRoute({ path: "/a/:id", [method]: answer });
    const allowed = [method.toUpperCase(), ...(method === "get" ? ["HEAD"] : []), "OPTIONS"].join(", ");

    const { status, json } = await service.ask("/a/1", { method: method.toUpperCase() });
    expect([status, json]).toEqual([200, { method: method.toUpperCase(), route: "/api/a/:id", isNamed: true }]);
    const options = await service.ask("/a/1", { method: "OPTIONS" });
    expect([options.status, options.text, options.headers.get("allow")]).toEqual([204, "", allowed]);
    const wrong = await service.ask("/a/1", { method: "PUT" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, allowed]);
    expect(wrong.json).toMatchObject({ error: { message: `PUT is not allowed on this path. Expected ${allowed}.` } });
  });

  it("sends what its handler throws, at once or later", async () => {
    const thrown = new TroupeError("conflict", "Not now.");
    const service = await serveRoute({
      path: "/a",
      get: () => {
        throw thrown;
      },
      post: async () => await Promise.reject(thrown),
    });

    for (const method of ["GET", "POST"]) {
      const { status, json, headers } = await service.ask("/a", { method });
      const requestId = headers.get("x-request-id");
      expect([status, json]).toEqual([409, { error: { code: "conflict", message: "Not now.", requestId } }]);
    }
  });
});
