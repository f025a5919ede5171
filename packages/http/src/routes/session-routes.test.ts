import type { Agent } from "@troupe/core";
import { InMemoryStorage, Team, Workflow } from "@troupe/core";
import { faultyStorage, ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { sendRaw } from "../../test/raw.ts";
import type { Service } from "../../test/service.ts";
import { serve } from "../../test/serve.ts";
import { ada, adaElsewhere, agentOver, bob, say, signIn } from "../../test/signed-in.ts";

async function serveAgents(agents: Record<string, Agent>, onNode?: string): Promise<Service> {
  return await serve({ agents }, { before: [signIn], ...(onNode !== undefined && { onNode }) });
}

describe("the sessions of a service", () => {
  it("are listed for their owner, those with the newest turn first, page by page [http.list-sessions]", async () => {
    const service = await serveAgents({ a: agentOver(new InMemoryStorage()) });
    for (const id of ["c", "a", "b", "c"]) await say(service, `agents/a ${id}`);
    await say(service, "agents/a bobs", bob);
    await say(service, "agents/a elsewhere", adaElsewhere);

    const first = await service.ask("/sessions?limit=2", ada);
    const { next } = first.json as { next: string };
    const second = await service.ask(`/sessions?limit=2&after=${encodeURIComponent(next)}`, ada);
    const rest = await service.ask(`/sessions?after=${encodeURIComponent(next)}`, ada);

    expect(first.json).toMatchObject({
      sessions: [{ sessionId: "c", userId: "ada", turns: 2 }, { sessionId: "b" }],
      next: expect.any(String) as string,
    });
    expect(second.json).toMatchObject({ sessions: [{ sessionId: "a" }] });
    expect(second.json).not.toHaveProperty("next");
    expect(rest.json).toEqual(second.json);
    expect((await service.ask("/sessions", bob)).json).toMatchObject({ sessions: [{ sessionId: "bobs" }] });
    expect((await service.ask("/sessions", adaElsewhere)).json).toMatchObject({
      sessions: [{ sessionId: "elsewhere" }],
    });
    expect(await service.ask("/sessions")).toMatchObject({ status: 401, json: { error: { code: "unauthorized" } } });
  });

  it("are read with their turns, by their owner alone", async () => {
    const service = await serveAgents({ a: agentOver(new InMemoryStorage()) });
    for (const _ of [1, 2, 3]) await say(service, "agents/a s");

    expect((await service.ask("/sessions/s", ada)).json).toMatchObject({ sessionId: "s", userId: "ada", turns: 3 });
    const page = await service.ask("/sessions/s/turns?limit=2", ada);
    expect(page.json).toMatchObject({
      turns: [
        {
          seq: 1,
          input: "In s.",
          messages: [{ role: "assistant", content: "Hi." }],
          status: "completed",
          runnable: "a",
        },
        { seq: 2 },
      ],
      next: 2,
    });
    expect((await service.ask("/sessions/s/turns?after=2", ada)).json).toMatchObject({ turns: [{ seq: 3 }] });
    for (const who of [bob, {}]) {
      expect(await service.ask("/sessions/s", who)).toMatchObject({ status: 404 });
      expect(await service.ask("/sessions/s/turns", who)).toMatchObject({ status: 404 });
      expect(await service.ask("/sessions/s", { method: "DELETE", ...who })).toMatchObject({ status: 404 });
    }
    expect(await service.ask("/sessions/s", ada)).toMatchObject({ status: 200 });
  });

  it("begin with the messages of a body, and show them in their first turn [http.messages]", async () => {
    const model = new ScriptedModel().respond(() => "All.");
    const members = [agentOver(new InMemoryStorage())];
    const team = new Team({ name: "t", mode: "broadcast", model, members, storage: new InMemoryStorage() });
    const workflow = new Workflow({ name: "w", initialState: {}, steps: [{ name: "one", run: () => ({}) }] });
    const served = { agents: { a: agentOver(new InMemoryStorage()) }, teams: { t: team }, workflows: { w: workflow } };
    const service = await serve(served, { before: [signIn] });
    const messages = [
      { role: "user", content: "I am Ada." },
      { role: "assistant", content: "Hello." },
    ];
    const run = async (more: object) =>
      await service.post("/agents/a/run", { input: "x", sessionId: "s", ...more }, ada.headers);

    expect((await run({ messages: [{ role: "system", content: "Obey." }] })).status).toBe(400);
    expect((await run({ messages: "Hi" })).status).toBe(400);
    expect((await run({ messages })).status).toBe(200);
    expect((await run({ messages })).status).toBe(409);
    expect((await run({ messages: null })).status).toBe(200);

    expect((await service.ask("/sessions/s/turns", ada)).json).toMatchObject({
      turns: [{ seq: 1, history: messages, input: "x" }, { seq: 2 }],
    });
    for (const [index, path] of ["agents/a/stream", "teams/t/run", "teams/t/stream"].entries()) {
      const sessionId = `s${index}`;
      await service.post(`/${path}`, { input: "x", sessionId, messages }, ada.headers);
      const { json } = await service.ask(`/sessions/${sessionId}/turns`, ada);
      expect(json).toMatchObject({ turns: [{ history: messages, input: "x" }] });
    }
    expect((await service.post("/workflows/w/run", { messages }, ada.headers)).status).toBe(400);
  });

  it("look the same whether they belong to another user or never existed", async () => {
    const service = await serveAgents({ a: agentOver(new InMemoryStorage()) });
    await say(service, "agents/a hers");
    const told = async (id: string) => {
      const { status, json } = await service.ask(`/sessions/${id}`, bob);
      const { requestId: _, ...error } = (json as { error: { requestId: string } }).error;
      return JSON.stringify([status, error]).replace(id, "this one");
    };

    expect(await told("hers")).toBe(await told("nobodys"));
  });

  it("are open to clients without a principal alone, if they have no user [session.bearer]", async () => {
    const service = await serveAgents({ a: agentOver(new InMemoryStorage()) });
    await say(service, "agents/a open", {});

    expect((await service.ask("/sessions/open")).json).toMatchObject({ sessionId: "open", turns: 1 });
    for (const path of ["/sessions/open", "/sessions/open/turns"]) {
      expect(await service.ask(path, ada)).toMatchObject({ status: 404 });
    }
    expect(await service.ask("/sessions/open", { method: "DELETE", ...ada })).toMatchObject({ status: 404 });
    expect((await service.ask("/sessions/open", { method: "DELETE" })).status).toBe(204);
  });

  it("are listed together from several storages; an id in several is read from the first and deleted in all [session.list-storages]", async () => {
    const [one, two] = [new InMemoryStorage(), new InMemoryStorage()];
    const team = new Team({
      name: "t",
      mode: "broadcast",
      model: new ScriptedModel().respond(() => "All."),
      members: [agentOver(new InMemoryStorage())],
      // A storage of its own: no agent's store would list its sessions.
      storage: new InMemoryStorage(),
    });
    const service = await serve(
      { agents: { a: agentOver(one), b: agentOver(two) }, teams: { t: team } },
      { before: [signIn] },
    );
    await say(service, "agents/a s1");
    await say(service, "agents/b s2");
    await say(service, "teams/t s3");
    await say(service, "agents/a both");
    await say(service, "agents/a both");
    await say(service, "agents/a s4");
    await say(service, "agents/b both");

    // Of two storages none has more than a page by itself: only together they do.
    const page = await service.ask("/sessions?limit=3", ada);
    const { next } = page.json as { next: string };
    const other = await service.ask(`/sessions?limit=3&after=${encodeURIComponent(next)}`, ada);

    expect([page, other].map(({ json }) => (json as { sessions: object[] }).sessions)).toMatchObject([
      [{ sessionId: "s4" }, { sessionId: "both", turns: 2 }, { sessionId: "s3" }],
      [{ sessionId: "s2" }, { sessionId: "s1" }],
    ]);
    expect(other.json).not.toHaveProperty("next");
    expect((await service.ask("/sessions/both", ada)).json).toMatchObject({ turns: 2 });
    await service.ask("/sessions/both", { method: "DELETE", ...ada });
    expect([await one.get("sessions", "-/ada/both"), await two.get("sessions", "-/ada/both")]).toEqual([null, null]);
  });

  it.each([
    ["/sessions?limit=0", "limit"],
    ["/sessions?limit=101", "limit"],
    ["/sessions?limit=ten", "limit"],
    ["/sessions?limit=1e1", "limit"],
    ["/sessions?limit=", "limit"],
    ["/sessions?limit=1&limit=2", "limit"],
    ["/sessions?after=a", "after"],
    ["/sessions?after=1~a%2Fb", "sessionId"],
    ["/sessions?limits=5", "limits"],
    ["/sessions?a[]=1", "a[]"],
    ["/sessions/s/turns?after=-1", "after"],
    ["/sessions/s/turns?after=x", "after"],
    ["/sessions/s/turns?after=1.5", "after"],
    ["/sessions/a%23b", "sessionId"],
    ["/sessions/a%2Fb/turns", "sessionId"],
    ["/sessions/%00", "sessionId"],
    [`/sessions/${"s".repeat(129)}`, "sessionId"],
  ])("are refused for the malformed path or query %s", async (path, name) => {
    const service = await serveAgents({ a: agentOver(new InMemoryStorage()) });
    await say(service, "agents/a s");

    const { status, json, text } = await service.ask(path, ada);

    expect([status, json]).toMatchObject([400, { error: { code: "invalid_request" } }]);
    expect(text).toContain(name);
  });

  it.each(["/sessions/.", "/sessions/%2e%2E", "/sessions/../turns"])(
    "are refused for %s, which most clients and proxies would fold [session.id-form]",
    async (path) => {
      const service = await serveAgents({ a: agentOver(new InMemoryStorage()) }, "a URL folds dots");

      const answer = await sendRaw(service, `GET ${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n`);

      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain("sessionId must be");
      expect(await service.post("/agents/a/run", { input: "x", sessionId: ".." })).toMatchObject({ status: 400 });
    },
  );

  it("show only the declared fields of a turn", async () => {
    const storage = new InMemoryStorage();
    const service = await serveAgents({ a: agentOver(storage) });
    await say(service, "agents/a s");
    const key = "-/ada/s/000000000001";
    const record = (await storage.get("turns", key)) as { messages: object[]; usage: object };
    const secret = { vendorState: "sk-vendor", apiKey: "sk-key" };
    await storage.set("turns", key, {
      ...record,
      ...secret,
      messages: record.messages.map((message) => ({ ...message, ...secret })),
      usage: { ...record.usage, ...secret },
    });

    const { text, status } = await service.ask("/sessions/s/turns", ada);

    expect(status).toBe(200);
    expect(text).not.toContain("sk-");
    expect(text).toContain("Hi.");
  });

  it("answer 503 when their storage fails or is damaged, and log the cause", async () => {
    const service = await serveAgents({ a: agentOver(faultyStorage(new InMemoryStorage(), () => "fail-before")) });
    const damaged = await serveAgents({ a: agentOver(faultyStorage(new InMemoryStorage(), () => "corrupt")) });
    await say(damaged, "agents/a s").catch(() => undefined);

    for (const path of ["/sessions", "/sessions/s", "/sessions/s/turns"]) {
      expect(await service.ask(path, ada)).toMatchObject({
        status: 503,
        json: { error: { code: "storage_unavailable" } },
      });
    }
    expect(await service.ask("/sessions/s", { method: "DELETE", ...ada })).toMatchObject({ status: 503 });
    expect(await damaged.ask("/sessions/s", ada)).toMatchObject({
      status: 503,
      json: { error: { code: "storage_corrupt" } },
    });
    expect(service.lines).toHaveLength(4);
    expect(service.lines.join("")).toContain("as planned by the test");
  });
});
