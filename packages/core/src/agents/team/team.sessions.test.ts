import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { Memory } from "../memory/memory.ts";
import type { Runnable } from "../run/runnable.ts";
import { until } from "../../testing/conformance/assert.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import { Team } from "./team.ts";
import { allModes, delegate, memberTurns, orchestratorTurns, pick, sayer, member, told } from "./test/teams.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

/** The ids of all sessions that a storage holds, and what else there is of them. */
async function keysIn(storage: InMemoryStorage): Promise<string[]> {
  const spaces = await Promise.all(["sessions", "turns", "memory"].map((namespace) => storage.list(namespace)));
  return spaces.flat().map(({ key }) => decodeURIComponent(key));
}

describe.each(allModes)("the session of a team of mode %s", (mode) => {
  it("has the input and the team's answer, while the members' storages stay empty [team.storage]", async () => {
    const [storage, ofMembers] = [new InMemoryStorage(), new InMemoryStorage()];
    const model = new ScriptedModel(...orchestratorTurns(mode));
    const members = ["ann", "bob"].map(
      (name) => member(name, memberTurns(mode, "done"), { storage: ofMembers, memory: new Memory() }).agent,
    );
    const team = new Team({ name: "team", mode, model, members, storage });
    await team.run("Question?", { sessionId: "s1" });
    const { turns } = await new SessionStore(storage).readTurns("s1");

    await expect(team.sessions.readSession("s1")).resolves.toMatchObject({ turns: 1 });
    expect(turns).toMatchObject([
      { input: "Question?", runnable: "team", status: "completed", messages: [{ role: "assistant", content: "done" }] },
    ]);
    expect(turns[0]?.messages).toHaveLength(1);
    expect(await keysIn(storage)).toEqual(["-/-/s1", "-/-/s1/000000000001"]);
    expect(await keysIn(ofMembers)).toEqual([]);
  });

  it("is listed for its user, and sessions of members are not [team.sessions-listed]", async () => {
    const storage = new InMemoryStorage();
    const turns = [1, 2, 3].flatMap(() => orchestratorTurns(mode));
    const agents = ["ann", "bob"].map((name) => sayer(name, "done", { storage }).agent);
    const team = new Team({
      name: "team",
      mode,
      model: new ScriptedModel(...turns),
      members: agents,
      storage,
      memberSessions: "persist",
    });
    await team.run("One?", { sessionId: "s1", userId: "ada" });
    await team.run("Two?", { sessionId: "s2", userId: "ada" });
    await team.run("Three?", { sessionId: "s3", userId: "bob" });

    for (const sessions of [team.sessions, agents[0]?.sessions]) {
      const listed = await sessions?.listSessions({ userId: "ada" });
      expect(listed?.sessions.map(({ sessionId }) => sessionId).toSorted()).toEqual(["s1", "s2"]);
    }
  });

  it("uses no configured user for a request from outside, nor do its members", async () => {
    const model = new ScriptedModel(...orchestratorTurns(mode));
    const users: unknown[] = [];
    const members = ["ann", "bob"].map(
      (name) =>
        member(name, memberTurns(mode, "done"), {
          userId: "configured",
          hooks: { beforeRun: ({ userId }) => void users.push(userId) },
        }).agent,
    );
    await new Team({ name: "team", mode, model, members }).run("Question?", attemptOpts({ fromOutside: true }));

    expect(new Set(users)).toEqual(new Set([undefined]));
  });

  it("is the orchestrator's history in the next run", async () => {
    const turns = [...orchestratorTurns(mode), ...orchestratorTurns(mode)];
    const model = new ScriptedModel(...turns);
    const members = ["ann", "bob"].map(
      (name) => member(name, [...memberTurns(mode, "done"), ...memberTurns(mode, "done")]).agent,
    );
    const team = new Team({ name: "team", mode, model, members });
    await team.run("First?", { sessionId: "s1" });
    const before = model.calls.length;
    await team.run("Second?", { sessionId: "s1" });

    expect(model.calls[before]?.messages.slice(1, 3)).toEqual([
      { role: "user", content: "First?" },
      { role: "assistant", content: "done" },
    ]);
  });

  it("has an interrupted turn when the run fails after delegations", async () => {
    const storage = new InMemoryStorage();
    const broken = { error: new Error("broken") };
    const model = new ScriptedModel(
      ...(mode === "route" ? [pick("ann")] : orchestratorTurns(mode).slice(0, -1)),
      broken,
    );
    const members = ["ann", "bob"].map((name) => sayer(name, mode === "route" ? broken : "fine").agent);
    const failure = new Team({ name: "team", mode, model, members, storage }).run("Question?", { sessionId: "s1" });
    await expect(failure).rejects.toMatchObject({ code: "internal" });
    const { turns } = await new SessionStore(storage).readTurns("s1");

    expect(turns).toMatchObject([{ input: "Question?", status: "interrupted" }]);
    const messages = turns[0]?.messages ?? [];
    const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
    expect(calls[0]?.name).toBe("delegate_to_ann");
    expect(messages.flatMap(({ toolCallId = [] }) => toolCallId)).toEqual(calls.map(({ id }) => id));
  });
});

/** A storage whose first append fails. */
class FlakyStorage extends InMemoryStorage {
  #isBroken = true;

  override async append(...args: Parameters<InMemoryStorage["append"]>): ReturnType<InMemoryStorage["append"]> {
    if (!this.#isBroken) return await super.append(...args);
    this.#isBroken = false;
    throw new TroupeError("storage_unavailable", "The storage is away.");
  }
}

it.each(allModes)(
  "a team of mode %s whose answer cannot be stored keeps each call once, with its result",
  async (mode) => {
    const storage = new FlakyStorage();
    const members = ["ann", "bob"].map((name) => member(name, memberTurns(mode, "fine")).agent);
    const team = new Team({
      name: "team",
      mode,
      model: new ScriptedModel(...orchestratorTurns(mode)),
      members,
      storage,
    });
    await expect(team.run("?", { sessionId: "s1" })).rejects.toMatchObject({ code: "storage_unavailable" });
    const { turns } = await new SessionStore(storage).readTurns("s1");

    const messages = turns[0]?.messages ?? [];
    const ids = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
    expect(turns).toMatchObject([{ status: "interrupted" }]);
    expect(ids).toHaveLength({ coordinate: 2, route: 1, broadcast: 2, collaborate: 4 }[mode]);
    expect(messages.flatMap(({ toolCallId = [] }) => toolCallId)).toEqual(ids);
    expect(messages.map(({ content }) => content)).not.toContain("interrupted");
  },
);

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

describe("the history of a team", () => {
  it("is sent with the delegation tools when it has calls of them", async () => {
    const storage = new InMemoryStorage();
    const model = new ScriptedModel({ error: new Error("broken") }, "done");
    const team = new Team({ name: "team", mode: "broadcast", model, members: [sayer("ann", "fine").agent], storage });
    await expect(team.run("First?", { sessionId: "s1" })).rejects.toMatchObject({ code: "internal" });
    await team.run("Second?", { sessionId: "s1" });

    expect(model.calls[0]?.options.tools).toBeUndefined();
    expect(model.calls[1]?.options).toMatchObject({ toolChoice: "none", tools: [{ name: "delegate_to_ann" }] });
    expect(told(model.calls[1])).toContain("First?");
  });

  it("has at most numHistoryRuns turns", async () => {
    const model = new ScriptedModel().respond(() => "done");
    const members = [sayer("ann", "fine").agent];
    const team = new Team({ name: "team", mode: "coordinate", model, members, numHistoryRuns: 1 });
    for (const input of ["First?", "Second?", "Third?"]) await team.run(input, { sessionId: "s1" });
    await until(() => model.calls.length === 3);

    expect(told(model.calls[2])).not.toContain("First?");
    expect(told(model.calls[2])).toContain("Second?");
  });
});
