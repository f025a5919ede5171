import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { isOnWeb, serve } from "../../test/serve.ts";

/** Takes the principal from a header, as only a test may. */
const signIn: RequestHandler = (request, _, next) => {
  const said = request.headers["x-test-principal"];
  if (typeof said === "string") Object.assign(request, { principal: JSON.parse(said) as unknown });
  next();
};

const as = (principal: unknown): Record<string, string> => ({ "x-test-principal": JSON.stringify(principal) });
const ada = as({ userId: "ada" });
const bob = as({ userId: "bob" });

async function serveTalker(options: Parameters<typeof serve>[0] = {}) {
  const agent = new Agent({ name: "a", model: new ScriptedModel().respond(() => "Hi.") });
  return { agent, service: await serve({ agents: { a: agent }, ...options }, { before: [signIn] }) };
}

describe("the principal", () => {
  it("owns the run, and the body may name the same user [http.body-user]", async () => {
    const { agent, service } = await serveTalker();

    const silent = await service.post("/agents/a/run", { input: "x", sessionId: "one" }, ada);
    const same = await service.post("/agents/a/run", { input: "x", sessionId: "two", userId: "ada" }, ada);

    expect([silent.status, same.status]).toEqual([200, 200]);
    const { sessions } = await agent.sessions.listSessions({ userId: "ada" });
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["two", "one"]);
  });

  it("is required to match the userId of the body", async () => {
    const { agent, service } = await serveTalker();

    for (const mode of ["run", "stream"]) {
      const answer = await service.post(`/agents/a/${mode}`, { input: "x", userId: "bob" }, ada);
      expect(answer).toMatchObject({ status: 403, json: { error: { code: "forbidden" } } });
    }
    expect(await agent.sessions.listSessions({ userId: "bob" })).toEqual({ sessions: [] });
  });

  it("may be missing: then the userId of the body names an unverified user [http.body-user]", async () => {
    const { agent, service } = await serveTalker();

    await service.post("/agents/a/run", { input: "x", sessionId: "one", userId: "ada" });

    expect(await agent.sessions.listSessions({ userId: "ada" })).toEqual({ sessions: [] });
    expect((await agent.sessions.listSessions({ userId: "ada", verified: false })).sessions).toHaveLength(1);
  });

  it("may be missing where the host trusts its clients: then the userId of the body is the user [http.body-user-id]", async () => {
    const { agent, service } = await serveTalker({ bodyUserId: "trusted" });

    await service.post("/agents/a/run", { input: "x", sessionId: "one", userId: "ada" });
    await service.post("/agents/a/run", { input: "x", sessionId: "one" }, ada);
    const forbidden = await service.post("/agents/a/run", { input: "x", userId: "bob" }, ada);

    const { sessions } = await agent.sessions.listSessions({ userId: "ada" });
    expect(sessions).toMatchObject([{ sessionId: "one", turns: 2 }]);
    expect(forbidden.status).toBe(403);
  });

  it("has sessions of its own, whatever ids other users and tenants use [session.per-owner]", async () => {
    const { service } = await serveTalker();
    const acme = as({ userId: "ada", tenantId: "acme" });
    const everyone: Record<string, string>[] = [ada, bob, acme, {}];
    for (const headers of everyone) {
      expect((await service.post("/agents/a/run", { input: "x", sessionId: "mine" }, headers)).status).toBe(200);
    }

    for (const headers of everyone) {
      expect((await service.ask("/sessions/mine", { headers })).json).toMatchObject({ sessionId: "mine", turns: 1 });
    }
  });

  it.each([
    null,
    "ada",
    7,
    [],
    {},
    { userId: "" },
    { userId: 7 },
    { userId: null },
    { userId: "\ud800" },
    { userId: "a".repeat(256) },
    { userId: "ada", tenantId: null },
    { userId: "ada", tenantId: "" },
    { userId: "ada", tenantId: { $ne: "" } },
    { tenantId: "acme" },
    { sub: "ada" },
  ])("answers 500 to every request if the host set %j", async (principal) => {
    const { service } = await serveTalker();
    const paths = ["/agents/a/run", "/agents/a/stream", "/runs/x/cancel"];

    for (const path of paths) {
      const answer = await service.post(path, { input: "x" }, as(principal));
      expect(answer).toMatchObject({ status: 500, json: { error: { code: "internal" } } });
    }
    expect((await service.ask("/sessions", { headers: as(principal) })).status).toBe(500);
    const where = isOnWeb() ? "authenticate(request)" : "request.principal";
    expect(service.lines.filter((line) => line.includes(`${where} must be`))).toHaveLength(4);
  });

  it("may have other fields of the host", async () => {
    const { service } = await serveTalker();
    const more = as({ userId: "ada", roles: ["admin"], token: "t" });

    expect((await service.post("/agents/a/run", { input: "x" }, more)).status).toBe(200);
  });

  it("is required to cancel its runs, while a run without one is cancelled by its id alone", async () => {
    const { service, started } = await serveHanging();
    const owned = service.post("/agents/a/run", { input: "x" }, ada);
    const ownedId = await started();
    const open = service.post("/agents/a/run", { input: "x", userId: "ada" });
    const openId = await started();
    const cancel = async (runId: string, headers: Record<string, string> = {}) =>
      await service.ask(`/runs/${runId}/cancel`, { method: "POST", headers });

    expect([(await cancel(ownedId)).status, (await cancel(ownedId, bob)).status]).toEqual([404, 404]);
    expect(await cancel(ownedId, ada)).toMatchObject({ status: 200, json: { runId: ownedId, status: "cancelled" } });
    expect(await cancel(openId)).toMatchObject({ status: 200 });
    expect(await owned).toMatchObject({ status: 499, json: { error: { code: "cancelled" } } });
    expect(await open).toMatchObject({ status: 499 });
    expect((await cancel(ownedId, ada)).status).toBe(404);
    expect((await cancel("nobody-knows")).status).toBe(404);
  });
});

/** Serves an agent that never answers, and returns the ids of its runs as they begin. */
async function serveHanging() {
  const agent = new Agent({ name: "a", model: new ScriptedModel().respond(() => ({ hang: true })) });
  const service = await serve({ agents: { a: agent } }, { before: [signIn] });
  const started = () =>
    new Promise<string>((resolve) => {
      const off = agent.eventBus.on("run.start", ({ runId }) => {
        off();
        resolve(runId);
      });
    });
  return { service, started };
}
