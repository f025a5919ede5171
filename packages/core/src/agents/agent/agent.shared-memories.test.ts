import { describe, expect, it } from "vitest";
import { Agent } from "./agent.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Memory } from "../memory/memory.ts";
import { UserMemory } from "../memory/user-memory.ts";

const userId = "u1";
const factsOf = (...facts: string[]) => new ScriptedModel().respond(() => ({ structured: { facts } }));
const said = async (memory: Memory, sessionId: string) =>
  (await memory.getMessages(sessionId)).map(({ content }) => content);

/** Two agents with storages of their own, which share memories without one. */
function twoAgents() {
  const [storage, storage2] = [new InMemoryStorage(), new InMemoryStorage()];
  const [memory, userMemory] = [new Memory(), new UserMemory({ enabled: false })];
  const create = (name: string, own: InMemoryStorage) => {
    const model = new ScriptedModel().respond(({ messages }) => `${name} ${messages.length}`);
    return { model, agent: new Agent({ name, model, storage: own, memory, userMemory }) };
  };
  return { storage, storage2, memory, userMemory, one: create("one", storage), two: create("two", storage2) };
}

describe("a UserMemory that agents with different storages share", () => {
  it("stores what each agent finds in the storage of that agent, and gives both all facts [user-memory.shared]", async () => {
    const { storage, storage2, one, two, userMemory } = twoAgents();
    const messages = [{ role: "user", content: "Hello" }] as const;
    await userMemory.extractAndStore(userId, messages, factsOf("Lives in Oslo."), { storage });
    await userMemory.extractAndStore(userId, messages, factsOf("Has a cat.", "lives in oslo"), { storage: storage2 });
    await one.agent.run("Hi", { userId });
    await two.agent.run("Hi", { userId });

    for (const { model } of [one, two]) {
      expect(model.calls[0]?.messages[0]?.content).toMatch(/Lives in Oslo\.\n- Has a cat\./);
    }
    expect([await storage.list("facts"), await storage2.list("facts")]).toMatchObject([
      [{ value: { fact: "Lives in Oslo." } }],
      [{ value: { fact: "Has a cat." } }],
    ]);
  });

  it("stores facts of an agent's run in that agent's storage", async () => {
    const [storage, storage2] = [new InMemoryStorage(), new InMemoryStorage()];
    const userMemory = new UserMemory({ model: factsOf("Has a cat.") });
    userMemory.bindStorage(storage);
    const agent = new Agent({ name: "b", model: new ScriptedModel("Hello."), storage: storage2, userMemory });
    await agent.run("I have a cat.", { userId });
    await userMemory.flush();

    expect(await storage.list("facts")).toEqual([]);
    expect(await storage2.list("facts")).toHaveLength(1);
  });

  it("removes facts, and those beyond maxFacts, wherever they are stored", async () => {
    const [storage, storage2] = [new InMemoryStorage(), new InMemoryStorage()];
    const userMemory = new UserMemory({ maxFacts: 2 });
    for (const own of [storage, storage2]) userMemory.bindStorage(own);
    await userMemory.addFacts(userId, ["one"], "auto", { storage });
    await userMemory.addFacts(userId, ["two"], "auto", { storage: storage2 });
    await userMemory.addFacts(userId, ["TWO.", "three"], "manual", { storage });
    expect((await userMemory.getFacts(userId)).map(({ fact, source }) => `${fact} ${source}`)).toEqual([
      "two manual",
      "three manual",
    ]);
    expect([await storage.list("facts"), await storage2.list("facts")].map(({ length }) => length)).toEqual([1, 1]);

    const [two] = await userMemory.getFacts(userId);
    await userMemory.removeFact(userId, two?.id ?? "");
    expect(await storage2.list("facts")).toEqual([]);
    await userMemory.addFacts(userId, ["four"], "auto", { storage: storage2 });
    await userMemory.clear(userId);
    expect([...(await storage.list("facts")), ...(await storage2.list("facts"))]).toEqual([]);
  });

  it("returns each fact once when two storages are connections to one database", async () => {
    const storage = new InMemoryStorage();
    const again = new Proxy(storage, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const userMemory = new UserMemory();
    for (const own of [storage, again]) userMemory.bindStorage(own);
    await userMemory.addFacts(userId, ["Lives in Oslo."]);

    expect(await userMemory.getFacts(userId)).toHaveLength(1);
  });

  it("stores a fact once when agents with two storages find it at the same time", async () => {
    const [storage, storage2] = [new InMemoryStorage(), new InMemoryStorage()];
    const userMemory = new UserMemory();
    for (const own of [storage, storage2]) userMemory.bindStorage(own);
    await Promise.all(
      [storage, storage2].map(
        async (own) => await userMemory.addFacts(userId, ["Has a cat."], "auto", { storage: own }),
      ),
    );

    expect(await userMemory.getFacts(userId)).toHaveLength(1);
  });

  it("keeps what was stored before an agent's storage was known", async () => {
    const storage = new InMemoryStorage();
    const userMemory = new UserMemory();
    await userMemory.addFacts(userId, ["early"]);
    userMemory.bindStorage(storage);
    await userMemory.addFacts(userId, ["late"]);

    expect((await userMemory.getFacts(userId)).map(({ fact }) => fact)).toEqual(["early", "late"]);
    expect(await storage.list("facts")).toMatchObject([{ value: { fact: "late" } }]);
  });
});

describe("a Memory that agents with different storages share", () => {
  it("keeps the memory of each session beside its turns, and finds it for its caller [memory.shared]", async () => {
    const { storage, storage2, memory, one, two } = twoAgents();
    await one.agent.run("a", { sessionId: "s1" });
    await two.agent.run("b", { sessionId: "s2" });
    await two.agent.run("c", { sessionId: "s2" });

    expect([await said(memory, "s1"), await said(memory, "s2")]).toEqual([
      ["a", "one 1"],
      ["b", "two 1", "c", "two 3"],
    ]);
    const keysOf = async (own: InMemoryStorage) => (await own.list("memory")).map(({ key }) => key);
    expect([await keysOf(storage), await keysOf(storage2)]).toEqual([["-/-/s1"], ["-/-/s2"]]);
  });

  it("mixes no sessions of one id in two storages, and clears both for its caller", async () => {
    const { storage, storage2, memory, one, two } = twoAgents();
    const sessionId = "s";
    for (const { agent } of [one, two, one, one, two]) await agent.run("Hi", { sessionId });

    expect(one.model.calls.map(({ messages }) => messages.length)).toEqual([1, 3, 5]);
    expect(two.model.calls.map(({ messages }) => messages.length)).toEqual([1, 3]);
    await one.agent.sessions.deleteSession(sessionId);
    expect([await storage.list("memory"), await storage2.list("memory")].map(({ length }) => length)).toEqual([0, 1]);
    await memory.clear(sessionId);
    expect(await said(memory, sessionId)).toEqual([]);
  });

  it("adds messages of its caller to the storage that has the session", async () => {
    const { storage2, memory, two } = twoAgents();
    await two.agent.run("Hi", { sessionId: "s" });
    await memory.addMessages("s", [{ role: "user", content: "And?" }]);

    expect(await said(memory, "s")).toEqual(["Hi", "two 1", "And?"]);
    expect(await storage2.list("memory")).toHaveLength(1);
  });
});
