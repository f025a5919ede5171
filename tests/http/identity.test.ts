import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, InMemoryStorage, Memory, Team, UserMemory, Workflow } from "@troupe/core";
import type { StorageDriver } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import type { RouterOptions } from "@troupe/http";
import { SqliteStorage } from "@troupe/storage-sqlite";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";

const storages: [name: string, create: () => StorageDriver][] = [
  ["InMemoryStorage", () => new InMemoryStorage()],
  ["SqliteStorage", () => new SqliteStorage(":memory:")],
];

const ada = { "x-test-user": "ada" };
const anonymous = {};
/** All that a client without a principal may try to be Ada. */
const claims: object[] = [{ userId: "ada" }, { userId: "~ada" }, { userId: "%61da" }, { userId: "-" }, {}];

type Headers = Record<string, string>;

/** A service where some requests have a principal, and all that its model was asked. */
async function startService(storage: StorageDriver, options: RouterOptions = {}) {
  const asked: string[] = [];
  const model = new ScriptedModel().respond(({ messages }) => {
    asked.push(JSON.stringify(messages));
    return "Hello.";
  });
  const finder = new ScriptedModel().respond(({ messages }) => {
    const told = JSON.stringify(messages);
    const facts = ["SECRET", "POISON"].filter((word) => told.includes(word)).map((word) => `Fact: ${word}.`);
    return { structured: { facts } };
  });
  const memory = new Memory({ storage });
  const userMemory = new UserMemory({ storage, model: finder });
  const plain = new Agent({ name: "plain", model, storage });
  const remembering = new Agent({ name: "remembering", model, storage, memory, userMemory });
  const team = new Team({ name: "team", mode: "coordinate", model, members: [plain], storage });
  const flow = new Workflow({
    name: "flow",
    initialState: { text: "" },
    steps: [{ name: "asks", agent: remembering }],
  });
  const router = createAgentRouter({
    agents: { plain, remembering },
    teams: { team },
    workflows: { flow },
    fileUpload: true,
    ...options,
  });
  const ask = await serve(router);
  const post = async (path: string, body: object, headers: Headers = anonymous) =>
    await ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  return { asked, memory, userMemory, sessions: plain.sessions, ask, post };
}

async function serve(router: express.RequestHandler) {
  const app = express();
  app.use((request, _, next) => {
    const userId = request.get("x-test-user");
    if (userId !== undefined) Object.assign(request, { principal: { userId } });
    next();
  });
  app.use(router);
  const server = createServer(app).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { status: response.status, text: await response.text() };
  };
}

const runPaths = ["agents/plain", "agents/remembering", "teams/team"].flatMap((path) => [
  `/${path}/run`,
  `/${path}/stream`,
]);

describe.each(storages)("a service with optional authentication over %s", (_, create) => {
  it("shows nothing of a principal to a run without that principal [session.unverified] [session.per-owner]", async () => {
    const service = await startService(create());
    for (const path of runPaths) await service.post(path, { input: "My SECRET.", sessionId: "s" }, ada);
    await service.userMemory.flush();
    expect((await service.userMemory.getFacts("ada")).map(({ fact }) => fact)).toEqual(["Fact: SECRET."]);
    const before = service.asked.length;

    for (const path of runPaths) {
      for (const claim of claims) {
        expect((await service.post(path, { input: "Hi", sessionId: "s", ...claim })).status).toBe(200);
      }
      const other = await service.post(path, { input: "Hi", sessionId: "s" }, { "x-test-user": "~ada" });
      expect(other.status).toBe(200);
    }

    const asked = service.asked.slice(before);
    expect(asked).toHaveLength(runPaths.length * (claims.length + 1));
    expect(asked.filter((prompt) => prompt.includes("SECRET"))).toEqual([]);
    expect((await service.sessions.readTurns("s", { owner: { userId: "ada" } })).turns).toHaveLength(runPaths.length);
  });

  it("takes nothing into what a principal has from a run without that principal [session.unverified]", async () => {
    const service = await startService(create());
    for (const path of runPaths) {
      for (const claim of claims) await service.post(path, { input: "POISON", sessionId: "s", ...claim });
    }
    await service.userMemory.flush();

    for (const path of runPaths) await service.post(path, { input: "Ada here.", sessionId: "s" }, ada);
    const hers = service.asked.filter((prompt) => prompt.includes("Ada here."));

    expect(hers.filter((prompt) => prompt.includes("POISON"))).toEqual([]);
    await service.userMemory.flush();
    expect(await service.userMemory.getFacts("ada")).toEqual([]);
    const claimed = await service.userMemory.getFacts("ada", { verified: false });
    expect(claimed.map(({ fact }) => fact)).toEqual(["Fact: POISON."]);
  });

  it("never lists, reads or deletes a principal's session without that principal [session.per-owner]", async () => {
    const service = await startService(create());
    await service.post("/agents/remembering/run", { input: "My SECRET.", sessionId: "s" }, ada);
    await service.post("/agents/remembering/run", { input: "Hi", sessionId: "claimed", userId: "ada" });

    const others: [headers: Headers, listed: number][] = [
      [anonymous, 401],
      [{ "x-test-user": "-" }, 200],
      [{ "x-test-user": "~ada" }, 200],
    ];
    for (const [headers, listed] of others) {
      const list = await service.ask("/sessions", { headers });
      expect([list.status, list.text.includes('"s"'), list.text.includes("claimed")]).toEqual([listed, false, false]);
      for (const path of ["/sessions/s", "/sessions/s/turns", "/sessions/claimed", "/sessions/claimed/turns"]) {
        expect(await service.ask(path, { headers })).toMatchObject({ status: 404 });
      }
      for (const path of ["/sessions/s", "/sessions/claimed"]) {
        expect((await service.ask(path, { method: "DELETE", headers })).status).toBe(404);
      }
    }
    expect(JSON.parse((await service.ask("/sessions", { headers: ada })).text)).toMatchObject({
      sessions: [{ sessionId: "s", turns: 1 }],
    });
    expect((await service.ask("/sessions/claimed", { headers: ada })).status).toBe(404);
    expect(await service.memory.getMessages("s", { userId: "ada" })).toHaveLength(2);
    expect((await service.ask("/sessions/s", { method: "DELETE", headers: ada })).status).toBe(204);
    expect(await service.memory.getMessages("s", { userId: "ada" })).toEqual([]);
    expect(await service.memory.getMessages("claimed", { userId: "ada", verified: false })).toHaveLength(2);
  });

  it("keeps a session that was opened without a user from one who signs in later [session.bearer]", async () => {
    const service = await startService(create());
    await service.post("/agents/plain/run", { input: "My SECRET.", sessionId: "open" });

    for (const headers of [ada, { "x-test-user": "-" }]) {
      await service.post("/agents/plain/run", { input: "Hi", sessionId: "open" }, headers);
      expect(service.asked.at(-1)).not.toContain("SECRET");
      await service.ask("/sessions/open", { method: "DELETE", headers });
    }
    await service.post("/agents/plain/run", { input: "Hi", sessionId: "open" });

    expect(service.asked.at(-1)).toContain("SECRET");
    expect((await service.ask("/sessions/open")).status).toBe(200);
  });

  it("shows no client what the program has by the session id alone, and the program all clients' sessions [memory.by-id] [memory.seed]", async () => {
    const service = await startService(create());
    await service.memory.addMessages("s", [{ role: "user", content: "SEED" }]);
    const clients: [headers: Headers, claim: object][] = [
      [ada, {}],
      ...claims.map((claim): [Headers, object] => [anonymous, claim]),
    ];
    for (const path of ["/agents/remembering/run", "/agents/remembering/stream"]) {
      for (const [headers, claim] of clients) {
        expect((await service.post(path, { input: "Hi", sessionId: "s", ...claim }, headers)).status).toBe(200);
      }
    }
    await service.post("/agents/remembering/run", { input: "My SECRET.", sessionId: "one", userId: "bob" });
    await service.post("/agents/remembering/run", { input: "Hi", sessionId: "one" });

    expect(service.asked.filter((prompt) => prompt.includes("SEED"))).toEqual([]);
    expect(service.asked.at(-1)).not.toContain("SECRET");
    await expect(service.memory.getMessages("one")).rejects.toMatchObject({ code: "conflict" });
    expect(await service.memory.clear("one")).toBe(2);
    await service.post("/agents/remembering/run", { input: "Hi", sessionId: "one", userId: "bob" });
    expect(service.asked.at(-1)).not.toContain("My SECRET.");
  });

  it("takes the userId of a form as that of a JSON body [session.unverified]", async () => {
    const service = await startService(create());
    await service.post("/agents/plain/run", { input: "My SECRET.", sessionId: "s" }, ada);
    const body = new FormData();
    for (const [name, value] of Object.entries({ input: "Hi", sessionId: "s", userId: "ada" })) body.set(name, value);

    expect((await service.ask("/agents/plain/run", { method: "POST", body })).status).toBe(200);
    expect(service.asked.at(-1)).not.toContain("SECRET");
  });

  it("passes on to workflow steps and members who is verified [run-opts.verified]", async () => {
    const service = await startService(create());
    await service.userMemory.addFacts("ada", ["Fact: SECRET."]);

    await service.post("/workflows/flow/run", { input: { text: "Hi" }, sessionId: "s", userId: "ada" });
    expect(service.asked.at(-1)).not.toContain("SECRET");
    await service.post("/workflows/flow/run", { input: { text: "Hi" }, sessionId: "s" }, ada);
    expect(service.asked.at(-1)).toContain("SECRET");
  });

  it("takes the userId of a body for the user where the host trusts its clients [http.body-user-id]", async () => {
    const service = await startService(create(), { bodyUserId: "trusted" });
    await service.post("/agents/plain/run", { input: "My SECRET.", sessionId: "s" }, ada);

    await service.post("/agents/plain/run", { input: "Hi", sessionId: "s", userId: "ada" });
    expect(service.asked.at(-1)).toContain("SECRET");
    await service.post("/agents/plain/run", { input: "Hi", sessionId: "s" });
    expect(service.asked.at(-1)).not.toContain("SECRET");
  });

  it("takes the userId of a body for unverified where the host says nothing [http.body-user-id]", async () => {
    const service = await startService(create());
    await service.post("/agents/plain/run", { input: "My SECRET.", sessionId: "s" }, ada);

    expect((await service.post("/agents/plain/run", { input: "Hi", sessionId: "s", userId: "ada" })).status).toBe(200);
    expect(service.asked.at(-1)).not.toContain("SECRET");
  });

  it("never runs a workflow's agent as its configured user or in its configured session [http.anonymous-workflow]", async () => {
    const storage = create();
    const userMemory = new UserMemory({ storage, enabled: false });
    await userMemory.addFacts("owner", ["Fact: SECRET."]);
    const model = new ScriptedModel().respond(() => "Hello.");
    const agent = new Agent({ name: "a", model, storage, userMemory, userId: "owner", sessionId: "private" });
    await agent.run("My SECRET.");
    const member = new Workflow({ name: "inner", initialState: {}, steps: [{ name: "asks", agent }] }).asRunnable();
    const steps = [
      { name: "asks", agent },
      { name: "asks within", agent: member },
    ];
    const flow = new Workflow({ name: "flow", initialState: { text: "" }, steps });
    const ask = await serve(createAgentRouter({ workflows: { flow } }));
    const headers = { "content-type": "application/json" };

    for (const mode of ["run", "stream"]) {
      for (const body of [
        {},
        { userId: "owner" },
        { userId: "owner", sessionId: "private" },
        { sessionId: "private" },
      ]) {
        const init = { method: "POST", headers, body: JSON.stringify({ input: { text: "Hi" }, ...body }) };
        expect((await ask(`/workflows/flow/${mode}`, init)).status).toBe(200);
      }
    }

    const prompts = model.calls.slice(1).map(({ messages }) => JSON.stringify(messages));
    expect(prompts).toHaveLength(16);
    expect(prompts.filter((prompt) => prompt.includes("SECRET"))).toEqual([]);
    expect(await agent.sessions.readSession("private", { owner: { userId: "owner" } })).toMatchObject({ turns: 1 });
    expect((await agent.sessions.listSessions({ userId: "owner" })).sessions).toHaveLength(1);
  });
});
