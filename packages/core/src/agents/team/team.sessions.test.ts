import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { Memory } from "../memory/memory.ts";
import { until } from "../../testing/conformance/assert.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";
import { allModes, memberTurns, orchestratorTurns, pick, sayer, member, told, keysIn } from "./test/teams.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

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
