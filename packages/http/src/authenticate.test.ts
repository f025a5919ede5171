import { setImmediate as turn } from "node:timers/promises";
import { TroupeError } from "@troupe/core";
import type { Principal, ServiceRequest } from "@troupe/core/service";
import type { Request, RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { durable, payer } from "../test/stored-runs.ts";
import { talker } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";

/** Believes the header `x-user`, and turns mallory away. */
const byHeader = ({ headers }: Pick<ServiceRequest, "headers">): Principal | undefined => {
  const userId = headers.get("x-user");
  if (userId === "mallory") throw new TroupeError("unauthorized", "Who are you?");
  return userId === null ? undefined : { userId };
};

/** The host's own authentication, which sets a user of its own on each request. */
const signIn: RequestHandler = (request, _, next) =>
  next(void Object.assign(request, { principal: { userId: "host" } }));

const page: RequestHandler = (_, response) => void response.end("The host's.");

const ada = { "x-user": "ada" };
const mallory = { "x-user": "mallory" };

describe("authenticate", () => {
  it("gets the request as Express has it, with the user that the host's authentication has set", async () => {
    const seen: ServiceRequest[] = [];
    const authenticate = (request: ServiceRequest) => void seen.push(request);
    const hosting = { at: "/api", before: [signIn], onExpress: "the native request is one of Express" };
    const service = await serve({ agents: { a: talker() }, authenticate }, hosting);
    await service.post("/agents/a/run?early=0", { input: "Hi." }, ada);

    const [{ native, headers, ...request } = {} as ServiceRequest] = seen.map((each) => ({
      ...each,
      headers: each.headers,
    }));
    expect(request).toEqual({
      protocol: "http",
      method: "POST",
      path: "/api/agents/a/run",
      remoteAddress: "127.0.0.1",
      principal: { userId: "host" },
    });
    expect([headers.get("x-user"), headers.get("content-type")]).toEqual(["ada", "application/json"]);
    expect((native as Request).get("x-user")).toBe("ada");
  });

  it("names the user whose sessions and runs are reached, whatever the host has set on the request", async () => {
    const agent = talker();
    const service = await serve({ agents: { a: agent }, authenticate: byHeader }, { before: [signIn] });
    await service.post("/agents/a/run", { input: "Hi.", sessionId: "of-ada" }, ada);
    await service.post("/agents/a/run", { input: "Hi.", sessionId: "of-nobody" });

    const sessionsOf = async (userId: string) =>
      (await agent.sessions.listSessions({ userId })).sessions.map(({ sessionId }) => sessionId);
    expect([await sessionsOf("ada"), await sessionsOf("host")]).toEqual([["of-ada"], []]);
    expect((await service.ask("/sessions/of-nobody")).status).toBe(200);
    expect((await service.ask("/sessions/of-ada", { headers: ada })).status).toBe(200);
    expect((await service.ask("/sessions/of-ada")).status).toBe(404);
    expect((await service.ask("/runs", { headers: ada })).status).toBe(200);
    expect((await service.ask("/runs")).status).toBe(401);
  });

  it("is asked once for each request behind the middleware, and not for probes, OPTIONS and pages of the host", async () => {
    const order: string[] = [];
    const middleware: RequestHandler[] = [(_request, _response, next) => next(void order.push("middleware"))];
    const authenticate = ({ method, path }: ServiceRequest) => void order.push(`${method} ${path}`);
    const service = await serve({ agents: { a: talker() }, authenticate, middleware }, { behind: [page] });
    const orderOf = async (path: string, init: RequestInit = {}) => {
      order.length = 0;
      await service.ask(path, init);
      return [...order];
    };

    expect(await orderOf("/agents")).toEqual(["middleware", "GET /agents"]);
    expect(await orderOf("/agents/a/run", { method: "POST" })).toEqual(["middleware", "POST /agents/a/run"]);
    expect(await orderOf("/agents/a/run")).toEqual(["middleware", "GET /agents/a/run"]);
    expect(await orderOf("/agents/x/y")).toEqual(["middleware", "GET /agents/x/y"]);
    expect(await orderOf("/agents", { method: "OPTIONS" })).toEqual(["middleware"]);
    expect(await orderOf("/elsewhere")).toEqual(["middleware"]);
    for (const path of ["/health", "/ready"]) expect(await orderOf(path)).toEqual([]);
  });

  it.each(["GET /agents", "GET /docs", "PUT /agents/a/run", "GET /agents/x/y", "GET /runs/%zz", "DELETE /sessions/s"])(
    "answers %s with the error that it throws, and runs nothing",
    async (line) => {
      const [method = "", path = ""] = line.split(" ");
      const service = await serve({ agents: { a: talker() }, authenticate: byHeader, swagger: {} });
      const answer = await service.ask(path, { method, headers: mallory });

      expect(answer).toMatchObject({ status: 401, json: { error: { code: "unauthorized", message: "Who are you?" } } });
      expect(service.lines).toEqual([]);
    },
  );

  it.each<[string, () => unknown, string]>([
    ["an unexpected error", () => Promise.reject(new Error("secret")), "secret"],
    ["a string", () => "ada", "authenticate(request) must be { userId, tenantId? }, both strings."],
    ["null", () => null, "authenticate(request) must be"],
    ["a user without an id", () => ({ tenantId: "acme" }), "authenticate(request) must be"],
  ])("that fails with %s is a fault of the service, told in its log alone", async (_, authenticate, logged) => {
    const service = await serve({ agents: { a: talker() }, authenticate: authenticate as never });
    const answer = await service.post("/agents/a/run", { input: "Hi." });

    expect(answer).toMatchObject({ status: 500, json: { error: { code: "internal" } } });
    expect(answer.text).not.toMatch(/secret|authenticate/);
    expect(service.lines).toHaveLength(1);
    expect(service.lines.join()).toContain(logged);
  });

  it("may take its time: the body of the request waits", async () => {
    const authenticate = async (request: ServiceRequest) => {
      for (let count = 0; count < 20; count++) await turn();
      return byHeader(request);
    };
    const service = await serve({ agents: { a: talker() }, authenticate });
    const input = "x".repeat(300_000);

    expect(await service.post("/agents/a/run", { input, sessionId: "s" }, ada)).toMatchObject({ status: 200 });
    expect((await service.ask("/sessions/s/turns", { headers: ada })).json).toMatchObject({ turns: [{ input }] });
  });

  it("gives its user to runOptions and mayAnswer", async () => {
    const seen: unknown[] = [];
    const { agent } = payer();
    const service = await serve({
      agents: { a: agent },
      runs: await durable({ agents: { a: agent } }),
      authenticate: byHeader,
      runOptions: ({ principal }) => void seen.push(["runOptions", principal]),
      mayAnswer: ({ principal }, { name }) => {
        seen.push(["mayAnswer", principal, name]);
        return principal?.userId === "boss";
      },
    });
    const waiting = await service.post("/agents/a/run", { input: "Pay." }, ada);
    const { runId, waits } = waiting.json as { runId: string; waits: { waitId: string }[] };
    const path = `/runs/${runId}/answers/${waits[0]?.waitId}`;

    expect((await service.post(path, { approved: true }, { "x-user": "bob" })).status).toBe(404);
    expect((await service.post(path, { approved: true }, { "x-user": "boss" })).status).toBe(204);
    expect(seen).toEqual([
      ["runOptions", { userId: "ada" }],
      ["mayAnswer", { userId: "bob" }, "a"],
      ["mayAnswer", { userId: "boss" }, "a"],
    ]);
  });
});
