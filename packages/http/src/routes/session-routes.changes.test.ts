import type { Agent } from "@troupe/core";
import { InMemoryStorage, Memory } from "@troupe/core";
import { describe, expect, it } from "vitest";
import type { Service } from "../../test/service.ts";
import { serve } from "../../test/serve.ts";
import { ada, adaElsewhere, agentOver, bob, say, signIn } from "../../test/signed-in.ts";
import type { Who } from "../../test/signed-in.ts";

async function serveAgents(agents: Record<string, Agent>, onNode?: string): Promise<Service> {
  return await serve({ agents }, { before: [signIn], ...(onNode !== undefined && { onNode }) });
}

describe("the sessions of a service", () => {
  it("are renamed by their owner alone [http.rename-session]", async () => {
    const service = await serveAgents({ a: agentOver(new InMemoryStorage()), b: agentOver(new InMemoryStorage()) });
    await say(service, "agents/a s");
    await say(service, "agents/b second");
    await say(service, "agents/a open", {});
    const rename = async (body: unknown, who: Who, sessionId = "s") => {
      const headers = { "content-type": "application/json", ...who.headers };
      return await service.ask(`/sessions/${sessionId}`, { method: "PATCH", headers, body: JSON.stringify(body) });
    };

    expect(await rename({ title: " My trip " }, ada)).toMatchObject({
      status: 200,
      json: { sessionId: "s", title: "My trip", turns: 1 },
    });
    const named = (title: string) => ({ status: 200, json: { title } });
    expect(await rename({ title: "In the second storage" }, ada, "second")).toMatchObject(
      named("In the second storage"),
    );
    expect(await rename({ title: "Without a user" }, {}, "open")).toMatchObject(named("Without a user"));
    for (const who of [bob, adaElsewhere, {}]) {
      expect(await rename({ title: "Mine" }, who)).toMatchObject({ status: 404 });
    }
    for (const body of [{}, { title: "" }, { title: 1 }, { title: "a\nb" }, { title: null }, { name: "x" }, []]) {
      expect(await rename(body, ada)).toMatchObject({ status: 400, json: { error: { code: "invalid_request" } } });
    }
    expect(await rename({ title: "x", turns: 7 }, ada)).toMatchObject({ status: 400 });
    await say(service, "agents/a s");
    expect((await service.ask("/sessions/s", ada)).json).toMatchObject({ title: "My trip", turns: 2 });
  });

  it("lose their turns from a number on, for their owner alone [http.delete-turns]", async () => {
    const service = await serveAgents({ a: agentOver(new InMemoryStorage()), b: agentOver(new InMemoryStorage()) });
    for (const _ of [1, 2, 3]) await say(service, "agents/a s");
    await say(service, "agents/b second");
    await say(service, "agents/a open", {});
    const remove = async (query: string, who: Who, sessionId = "s") =>
      await service.ask(`/sessions/${sessionId}/turns${query}`, { method: "DELETE", ...who });

    for (const who of [bob, adaElsewhere, {}]) expect(await remove("?from=1", who)).toMatchObject({ status: 404 });
    for (const [who, id] of [
      [ada, "second"],
      [{}, "open"],
    ] as const) {
      expect(await remove("?from=1", who, id)).toMatchObject({ status: 204 });
      expect((await service.ask(`/sessions/${id}/turns`, who)).json).toEqual({ turns: [] });
    }
    for (const query of ["", "?from=", "?from=0", "?from=-1", "?from=x", "?from=1&from=2", "?from=1&limit=2"]) {
      expect(await remove(query, ada)).toMatchObject({ status: 400, json: { error: { code: "invalid_request" } } });
    }
    expect((await service.ask("/sessions/s", ada)).json).toMatchObject({ turns: 3 });

    expect(await remove("?from=2", ada)).toMatchObject({ status: 204, text: "" });
    await say(service, "agents/a s");
    expect((await service.ask("/sessions/s/turns", ada)).json).toMatchObject({ turns: [{ seq: 1 }, { seq: 4 }] });
  });

  it("are deleted with their turns and memory", async () => {
    const [storage, memory] = [new InMemoryStorage(), new Memory({ storage: new InMemoryStorage() })];
    const service = await serveAgents({ plain: agentOver(storage), remembering: agentOver(storage, { memory }) });
    await say(service, "agents/remembering s");
    expect(await memory.getMessages("s", { userId: "ada" })).not.toEqual([]);

    const { status, text } = await service.ask("/sessions/s", { method: "DELETE", ...ada });

    expect([status, text]).toEqual([204, ""]);
    expect((await service.ask("/sessions/s", ada)).status).toBe(404);
    expect((await service.ask("/sessions/s", { method: "DELETE", ...ada })).status).toBe(404);
    expect(await memory.getMessages("s", { userId: "ada" })).toEqual([]);
    expect(await storage.list("turns")).toEqual([]);
  });
});
