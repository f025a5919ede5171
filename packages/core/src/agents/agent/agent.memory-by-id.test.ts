import { describe, expect, it } from "vitest";
import { Memory } from "../memory/memory.ts";
import type { RunOpts } from "../run/run-options.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { drivers } from "../../sessions/storage/test/drivers.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import type { AgentConfig } from "./agent-config.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

const noted = [{ role: "user", content: "My code is 7." }] as const;

function agentWith({ storage = new InMemoryStorage(), ...config }: Partial<AgentConfig> = {}) {
  const memory = new Memory();
  const model = new ScriptedModel().respond(() => "Yes.");
  const agent = new Agent({ name: "a", model, storage, memory, ...config });
  const prompt = () => JSON.stringify(model.calls.at(-1)?.messages);
  return { agent, memory, storage, prompt };
}

const entriesOf = async ({ storage }: { storage: AgentConfig["storage"] }) =>
  ((await storage?.list("memory-by-id")) ?? []).map(({ key }) => key);

// Issue 37: the program looked under "no user" alone.
describe("the memory of a user's session, which the program reaches by the session id", () => {
  it.each<[string, Partial<AgentConfig>, RunOpts]>([
    ["of the run", {}, { userId: "u" }],
    ["of the agent", { userId: "u" }, {}],
    ["of the run, who has a tenant", {}, { userId: "u", tenantId: "t" }],
    ["of the run, who is unverified", {}, attemptOpts({ userId: "u", verified: false })],
    ["of a transport's request", {}, attemptOpts({ userId: "u", fromOutside: true })],
  ])("is found, extended and cleared where the user is that %s [memory.by-id]", async (_, config, opts) => {
    const { agent, memory, prompt } = agentWith(config);
    await agent.run("secret", { ...opts, sessionId: "s" });
    expect((await memory.getMessages("s")).map(({ content }) => content)).toEqual(["secret", "Yes."]);

    await memory.addMessages("s", noted);
    await agent.run("Again?", { ...opts, sessionId: "s" });
    expect(prompt()).toMatch(/secret.*My code is 7/);

    expect(await memory.clear("s")).toBe(1);
    await agent.run("Still?", { ...opts, sessionId: "s" });
    expect(prompt()).not.toMatch(/secret|My code is 7/);
  });

  it("gets what the program has added before, by its first run of the program and never by one from outside [memory.seed]", async () => {
    const { agent, memory, prompt } = agentWith();
    await memory.addMessages("s", noted);
    for (const opts of [{}, { userId: "eve" }, { userId: "u", verified: false }]) {
      await agent.run("Hi", attemptOpts({ ...opts, sessionId: "s", fromOutside: true }));
      expect(prompt()).not.toContain("My code is 7");
    }
    await agent.run("Hi", { sessionId: "s", userId: "u" });
    expect(prompt()).toContain("My code is 7");
    await agent.run("Hi", { sessionId: "s", userId: "other" });
    expect(prompt()).not.toContain("My code is 7");
  });
});

describe.each(drivers)("the index of memories by session id, over a storage with %s", (_, create) => {
  it("loses the entries of sessions that are deleted, of deleted users, and of no others", async () => {
    const made = agentWith({ storage: create() });
    const { agent, memory } = made;
    for (const userId of ["u", "v"]) {
      for (const sessionId of ["s", "t"]) await agent.run("Hi", { sessionId, userId });
    }
    await memory.addMessages("sessionless", noted, { userId: "u" });
    await agent.sessions.deleteSession("s", { owner: { userId: "v" } });
    expect(await entriesOf(made)).toEqual(["s/-/u", "sessionless/-/u", "t/-/u", "t/-/v"]);
    await agent.sessions.deleteUser("u");

    expect(await entriesOf(made)).toEqual(["t/-/v"]);
  });

  it("keeps the entry of a session whose turns are deleted, once it goes on", async () => {
    const made = agentWith({ storage: create() });
    const { agent, memory } = made;
    for (const input of ["one", "two"]) await agent.run(input, { sessionId: "s", userId: "u" });
    await agent.sessions.deleteTurns("s", 2, { owner: { userId: "u" } });
    expect(await memory.getMessages("s")).toEqual([]);
    await agent.run("three", { sessionId: "s", userId: "u" });

    const said = (await memory.getMessages("s")).filter(({ role }) => role === "user");
    expect(said.map(({ content }) => content)).toEqual(["one", "three"]);
    expect(await entriesOf(made)).toEqual(["s/-/u"]);
  });
});
