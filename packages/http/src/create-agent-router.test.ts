import { Workflow } from "@troupe/core";
import type { RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { counter, desk, scripted, talker } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";
import { createAgentRouter } from "./create-agent-router.ts";

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

describe("createAgentRouter", () => {
  it("builds a router that a host can mount, also without options [http.router]", async () => {
    const empty = await serve({});
    const full = await serve({ agents: { a: talker() }, teams: { t: desk() }, workflows: { w: counter() } });
    const namesAt = async (service: typeof empty, path: string) => {
      const { status, json } = await service.ask(`/${path}`);
      return [status, (json as Record<string, { name: string }[]>)[path]?.map(({ name }) => name)];
    };

    for (const [path, name] of [
      ["agents", "a"],
      ["teams", "t"],
      ["workflows", "w"],
    ] as const) {
      expect([await namesAt(empty, path), await namesAt(full, path)]).toEqual([
        [200, []],
        [200, [name]],
      ]);
    }
    expect(createAgentRouter()).toBeTypeOf("function");
    expect(() => createAgentRouter({ agent: {} } as never)).toThrow('Unknown option "agent" of createAgentRouter.');
  });

  it("finds registered names in a Map or an object, and no inherited ones [http.registries]", async () => {
    const agents = new Map([
      ["one", talker("One.")],
      ["__proto__", talker("Proto.")],
      ["ein wort", talker("Wort.")],
    ]);
    const service = await serve({ agents, teams: Object.assign(Object.create(null) as object, { desk: desk() }) });
    const statusAt = async (path: string) => (await service.post(path, { input: "x" })).status;

    expect(await statusAt("/agents/one/run")).toBe(200);
    expect(await statusAt("/agents/__proto__/run")).toBe(200);
    expect(await statusAt("/agents/ein%20wort/run")).toBe(200);
    expect(await statusAt("/teams/desk/run")).toBe(200);
    expect(await statusAt("/agents/desk/run")).toBe(404);
    expect(await statusAt("/teams/one/run")).toBe(404);
    expect(await statusAt("/workflows/one/run")).toBe(404);
  });

  it("ignores later changes of the registry", async () => {
    const agents = new Map([["one", talker()]]);
    const service = await serve({ agents });
    agents.set("late", talker());

    expect((await service.post("/agents/late/run", { input: "x" })).status).toBe(404);
  });

  it("lists agents, teams and workflows with their public facts", async () => {
    const secret = "You are the secret instruction.";
    const service = await serve({
      agents: { helper: talker("Hi.", { description: "Helps.", instructions: secret }), plain: talker() },
      teams: { desk: desk() },
      workflows: { counter: counter() },
    });

    const agents = await service.ask("/agents");

    expect(agents.json).toEqual({
      agents: [
        { name: "helper", kind: "agent", description: "Helps.", input: ["text", "parts"] },
        { name: "plain", kind: "agent", input: ["text", "parts"] },
      ],
    });
    expect(agents.text).not.toContain("scripted");
    expect((await service.ask("/teams")).json).toEqual({
      teams: [{ name: "desk", kind: "team", input: ["text", "parts"] }],
    });
    expect((await service.ask("/workflows")).json).toEqual({
      workflows: [{ name: "counter", kind: "workflow", input: ["object", "text"] }],
    });
    expect((await (await serve({})).ask("/agents")).json).toEqual({ agents: [] });
  });

  it("works at any mount path", async () => {
    const service = await serve({ agents: { helper: talker() } }, { at: "/api/v1" });

    expect((await service.post("/agents/helper/run", { input: "x" })).status).toBe(200);
    expect((await service.post("/agents/helper/run/?x=1", { input: "x" })).status).toBe(200);
  });

  it("passes unknown paths on to the host, and answers all paths below its own", async () => {
    const page: RequestHandler = (_, response) => void response.end("the host's page");
    const service = await serve({}, { behind: [page] });

    expect((await service.ask("/")).text).toBe("the host's page");
    expect((await service.ask("/about")).text).toBe("the host's page");
    expect((await service.ask("/agentsmith")).text).toBe("the host's page");
    expect(await service.ask("/agents/a/b/c/d")).toMatchObject({
      status: 404,
      json: { error: { code: "not_found" } },
    });
    expect(await service.ask("/sessions/a/b/c")).toMatchObject({
      status: 404,
      json: { error: { code: "not_found" } },
    });
  });

  it("answers 405 with the allowed methods of a path", async () => {
    const service = await serve({ agents: { helper: talker() } });

    const get = await service.ask("/agents/helper/run");
    const put = await service.ask("/sessions/s", { method: "PUT" });
    const options = await service.ask("/agents", { method: "OPTIONS" });
    const heads = await service.ask("/agents", { method: "HEAD" });

    expect(get).toMatchObject({ status: 405, json: { error: { code: "invalid_request" } } });
    expect(get.headers.get("allow")).toBe("POST, OPTIONS");
    expect(put.headers.get("allow")).toBe("GET, PATCH, DELETE, HEAD, OPTIONS");
    expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
    expect([heads.status, heads.text]).toEqual([200, ""]);
  });

  it("runs the middleware before its own handlers, in order [http.middleware]", async () => {
    const seen: string[] = [];
    const note =
      (name: string): RequestHandler =>
      (request, _, next) => {
        seen.push(`${name} ${request.method} ${request.url}`);
        next();
      };
    const service = await serve({ agents: { helper: talker() }, middleware: [note("a"), note("b")] });

    await service.ask("/agents");
    await service.post("/agents/nobody/run", "no json");

    expect(seen).toEqual(["a GET /agents", "b GET /agents", "a POST /agents/nobody/run", "b POST /agents/nobody/run"]);
  });

  it("lets the middleware answer, and sends its errors in the common body", async () => {
    const { agent, model } = scripted("Never said.");
    const guard: RequestHandler = (request, response, next) => {
      if (request.headers.authorization === undefined) response.writeHead(401).end("who are you?");
      else next(new Error("sk-secret broke"));
    };
    const service = await serve({ agents: { helper: agent }, middleware: [guard] });

    const unknown = await service.post("/agents/helper/run", { input: "x" });
    const broken = await service.post("/agents/helper/run", { input: "x" }, { authorization: "Bearer x" });

    expect([unknown.status, unknown.text]).toEqual([401, "who are you?"]);
    expect(unknown.headers.get("x-request-id")).toMatch(uuid);
    expect(broken).toMatchObject({ status: 500, json: { error: { code: "internal" } } });
    expect(broken.text).not.toContain("sk-secret");
    expect(model.calls).toEqual([]);
  });

  it("gives each request an id: the host's, a well-formed one of the client, or a new one", async () => {
    const service = await serve({});
    const host: RequestHandler = (_, response, next) => {
      response.setHeader("X-Request-Id", "h-1");
      next();
    };
    const hosted = await serve({}, { before: [host], onNode: "the host sets a header of Node's response" });
    const idOf = async (sent: Record<string, string>) => {
      const { headers, json } = await service.ask("/agents/x/y", { headers: sent });
      return [headers.get("x-request-id"), (json as { error: { requestId: string } }).error.requestId];
    };

    expect(await idOf({ "x-request-id": "trace:1.a-b_c" })).toEqual(["trace:1.a-b_c", "trace:1.a-b_c"]);
    const [made, told] = await idOf({ "x-request-id": "no <b>form</b>" });
    expect(made).toMatch(uuid);
    expect(told).toBe(made);
    expect((await idOf({ "x-request-id": "x".repeat(129) }))[0]).toMatch(uuid);
    expect((await hosted.ask("/health", { headers: { "x-request-id": "c-1" } })).headers.get("x-request-id")).toBe(
      "h-1",
    );
  });

  it("sends the ids of a run also when it fails", async () => {
    const { agent } = scripted({ error: new Error("sk-secret") });
    const service = await serve({ agents: { helper: agent } });

    for (const mode of ["run", "stream"]) {
      const { headers } = await service.post(`/agents/helper/${mode}`, { input: "x", sessionId: "mine" });
      expect([headers.get("x-run-id"), headers.get("x-session-id")]).toEqual([expect.stringMatching(uuid), "mine"]);
    }
  });

  it("hides the error of a workflow's step", async () => {
    const workflow = new Workflow({
      name: "w",
      initialState: {},
      steps: [
        {
          name: "break",
          run: () => {
            throw new Error("sk-secret at /srv/app");
          },
        },
      ],
    });
    const service = await serve({ workflows: { w: workflow } });

    const { status, json, text } = await service.post("/workflows/w/run", {});

    expect([status, json]).toMatchObject([500, { error: { code: "internal" } }]);
    expect(text).not.toContain("sk-secret");
  });
});
