import { describe, expect, it } from "vitest";
import type { Runnable } from "../run/runnable.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import { Team } from "./team.ts";
import { delegate, sayer, member, keysIn } from "./test/teams.ts";

describe("the sessions of members", () => {
  it("are kept with memberSessions persist, one per member and team session", async () => {
    const storage = new InMemoryStorage();
    const ann = sayer("ann", "fine", { storage });
    const model = new ScriptedModel(delegate("ann"), "done", delegate("ann"), "done");
    const config = { name: "team", mode: "coordinate", model, members: [ann.agent] } as const;
    const team = new Team({ ...config, memberSessions: "persist" });
    await team.run("First?", { sessionId: "s1" });
    await team.run("Second?", { sessionId: "s1" });

    expect(ann.model.calls[1]?.messages.map(({ content }) => content)).toEqual([
      "task for ann",
      "fine",
      "task for ann",
    ]);
    const { turns } = await new SessionStore(storage).readTurns("s1#ann");
    expect(turns).toHaveLength(2);
  });

  it("are deleted with the team's session and with its user, also in storages of their own", async () => {
    const [storage, ofAnn] = [new InMemoryStorage(), new InMemoryStorage()];
    const model = new ScriptedModel().respond(() => "done");
    const ann = sayer("ann", "fine", { storage: ofAnn }).agent;
    const shared = { name: "team", mode: "broadcast", model, storage } as const;
    const team = new Team({ ...shared, members: [ann], memberSessions: "persist" });
    await team.run("?", { sessionId: "s1", userId: "u" });
    await team.run("?", { sessionId: "s2", userId: "u" });
    expect(await keysIn(ofAnn)).toHaveLength(4);
    await team.sessions.deleteSession("s1", { owner: { userId: "u" } });
    expect(await keysIn(ofAnn)).toEqual(["-/u/s2#ann", "-/u/s2#ann/000000000001"]);
    await team.sessions.deleteUser("u");

    expect([await keysIn(ofAnn), await keysIn(storage)]).toEqual([[], []]);
  });

  it("may be missing when the team's session is deleted", async () => {
    const members = ["ann", "bob"].map((name) => sayer(name, "fine", { storage: new InMemoryStorage() }).agent);
    const model = new ScriptedModel(delegate("ann"), "done");
    const team = new Team({ name: "team", mode: "coordinate", model, members, memberSessions: "persist" });
    await team.run("?", { sessionId: "s1" });
    await team.sessions.deleteSession("s1");

    await expect(team.sessions.readSession("s1")).rejects.toMatchObject({ code: "not_found" });
  });

  it("have ids made of the team's session, the run and the member", async () => {
    const ann = sayer("ann", "fine");
    const seen: unknown[] = [];
    ann.agent.eventBus.on("run.complete", ({ output }) => void seen.push(output.sessionId));
    const model = new ScriptedModel().respond(() => "done");
    for (const kept of [{}, { memberSessions: "persist" }] as const) {
      const team = new Team({ name: "team", mode: "broadcast", model, members: [ann.agent], ...kept });
      seen.push((await team.run("?", { sessionId: "s1" })).runId);
    }

    expect(seen).toEqual([`s1/${String(seen[1])}#ann`, expect.any(String), "s1#ann", expect.any(String)]);
  });

  it("are not what their tools see, which is the session of the team's caller, for teams within teams too", async () => {
    const seen: string[] = [];
    const look = defineTool({
      name: "look",
      description: "Looks.",
      parameters: { type: "object" },
      execute: (_args, { sessionId }) => {
        seen.push(sessionId);
        return "seen";
      },
    });
    const ann = member("ann", Array.from({ length: 4 }, () => [{ toolCalls: [{ name: "look" }] }, "fine"]).flat(), {
      tools: [look],
    });
    const routed = (runnable: Runnable, kept: object) =>
      new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [runnable], ...kept });
    for (const kept of [{}, { memberSessions: "persist" }] as const) {
      const inner = routed(ann.agent, kept);
      await inner.run("?", { sessionId: "s1" });
      await routed(inner, kept).run("?", { sessionId: "s2" });
    }

    expect(seen).toEqual(["s1", "s2", "s1", "s2"]);
  });

  it("are new in each run by default", async () => {
    const ann = sayer("ann", "fine");
    const model = new ScriptedModel(delegate("ann"), "done", delegate("ann"), "done");
    const team = new Team({ name: "team", mode: "coordinate", model, members: [ann.agent] });
    await team.run("First?", { sessionId: "s1" });
    await team.run("Second?", { sessionId: "s1" });

    expect(ann.model.calls[1]?.messages.map(({ content }) => content)).toEqual(["task for ann"]);
  });

  it("end with the outermost run, for teams within teams too", async () => {
    const storage = new InMemoryStorage();
    const ann = sayer("ann", "fine", { storage });
    const inner = new Team({
      name: "inner",
      mode: "broadcast",
      model: new ScriptedModel("inner done"),
      members: [ann.agent],
      storage,
      memberSessions: "persist",
    });
    const model = new ScriptedModel("done");
    const team = new Team({ name: "team", mode: "broadcast", model, members: [inner] });
    const { toolCalls } = await team.run("?");

    expect(toolCalls.map(({ result }) => result)).toEqual(["inner done"]);
    expect(await keysIn(storage)).toEqual([]);
  });

  it("are the only ephemeral sessions: one that a member's tool names is kept in its own storage", async () => {
    const storage = new InMemoryStorage();
    const clerk = sayer("clerk", "noted", { storage });
    const note = defineTool({
      name: "note",
      description: "Notes.",
      parameters: { type: "object" },
      execute: async (_args, context) => (await clerk.agent.run("Note.", { parent: context, sessionId: "notes" })).text,
    });
    const ann = member("ann", [{ toolCalls: [{ name: "note" }] }, "fine"], { tools: [note] });
    await new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [ann.agent] }).run("?");

    expect(await keysIn(storage)).toEqual(["-/-/notes", "-/-/notes/000000000001"]);
  });

  it("queue when one member has two delegations at once", async () => {
    const ann = sayer("ann", { text: "fine", delayMs: 5 });
    const model = new ScriptedModel(delegate("ann", "ann", "ann"), "done");
    await new Team({ name: "team", mode: "coordinate", model, members: [ann.agent] }).run("?");

    expect(ann.model.calls.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
  });

  it("have unique ids for any names of members", async () => {
    const names = ["夜".repeat(128), "a/b", "a#b", "a b", "%41"];
    const model = new ScriptedModel("done");
    const members = names.map((name) => sayer(name, `I am ${name}`).agent);
    const { toolCalls } = await new Team({ name: "team", mode: "broadcast", model, members }).run("?");

    expect(toolCalls.map(({ result }) => result)).toEqual(names.map((name) => `I am ${name}`));
  });

  it("do not block simultaneous runs", async () => {
    const ann = sayer("ann", { text: "fine", delayMs: 5 });
    const model = new ScriptedModel().respond(() => "done");
    const team = new Team({ name: "team", mode: "broadcast", model, members: [ann.agent], onBusy: "reject" });
    const outputs = await Promise.all([team.run("1"), team.run("2")]);
    const busy = [team.run("3", { sessionId: "s1" }), team.run("4", { sessionId: "s1" })];

    expect(outputs.map(({ text }) => text)).toEqual(["done", "done"]);
    await expect(Promise.all(busy)).rejects.toMatchObject({ code: "conflict" });
    await Promise.allSettled(busy);
  });
});
