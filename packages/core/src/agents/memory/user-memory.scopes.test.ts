import { describe, expect, it } from "vitest";
import { testRun } from "../run/test/test-run.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { exchange } from "./test/conversation.ts";
import type { UserMemoryScope } from "./memory-options.ts";
import { UserMemory } from "./user-memory.ts";

const scopes: readonly UserMemoryScope[] = [
  {},
  { tenantId: "t" },
  { verified: false },
  { tenantId: "t", verified: false },
];
const found = (...facts: string[]) => ({ structured: { facts } });

/** A memory with one fact of Ada for each scope: the number of the scope. */
async function perScope() {
  const memory = new UserMemory({ model: new ScriptedModel().respond(() => found("found")) });
  const ids: string[] = [];
  for (const [index, scope] of scopes.entries()) {
    const [fact] = await memory.addFacts("ada", [`${index}`], "manual", scope);
    ids.push(fact?.id ?? "");
  }
  const all = async () =>
    await Promise.all(scopes.map(async (scope) => (await memory.getFacts("ada", scope)).map(({ fact }) => fact)));
  return { memory, ids, all };
}

describe.each(scopes.map((scope, index) => [scope, index] as const))("a call of UserMemory with %j", (scope, index) => {
  const others = (own: string[]) => scopes.map((_, each) => (each === index ? own : [`${each}`]));

  it("adds, finds and writes out the facts of this tenant and verification alone", async () => {
    const { memory, all } = await perScope();
    expect(await all()).toEqual(others([`${index}`]));
    await memory.addFacts("ada", ["more"], "auto", scope);
    expect(await memory.extractAndStore("ada", exchange("1"), undefined, scope)).toMatchObject([{ fact: "found" }]);
    expect(await all()).toEqual(others([`${index}`, "more", "found"]));
    expect((await memory.getContextString("ada", scope)).split("\n").slice(2, -1)).toEqual([
      `- ${index}`,
      "- more",
      "- found",
    ]);
  });

  it("removes and clears the facts of this tenant and verification alone", async () => {
    const { memory, ids, all } = await perScope();
    await memory.addFacts("ada", ["more"], "auto", scope);
    for (const id of ids) await memory.removeFact("ada", id, scope);
    expect(await all()).toEqual(others(["more"]));
    await memory.clear("ada", scope);
    expect(await all()).toEqual(others([]));
  });

  it("reads for the tool those of the run's tenant and verification", async () => {
    const { memory } = await perScope();
    const { context } = testRun({ userId: "ada", ...scope });
    expect(((await memory.asTool().execute({}, context)) as string).split("\n").slice(2, -1)).toEqual([`- ${index}`]);
  });
});

describe("the tool of a UserMemory", () => {
  it("has these names and parameters by default, and those that are given", () => {
    const memory = new UserMemory();
    const tool = memory.asTool();
    expect(tool).toMatchObject({
      name: "recall_user_facts",
      description: "Recalls what is known about the user from earlier conversations.",
      effect: "pure",
    });
    expect(memory.asTool({ name: "known", description: "Tells." })).toMatchObject({
      name: "known",
      description: "Tells.",
      parameters: tool.parameters,
    });
  });

  it.each([
    [{ title: "x" }, 'Unknown option "title" of asTool. Expected name or description.'],
    [{ name: 7 }, "name must be a string, got 7."],
    [{ description: null }, "description must be a string, got null."],
  ])("refuses the config %j", (config, message) => {
    expect(() => new UserMemory().asTool(config as object)).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });
});

describe("the options of UserMemory", () => {
  it.each([
    [undefined, true],
    [true, true],
    [false, false],
  ])("enabled: %s lets agents look for facts: %s", (enabled, isEnabled) => {
    expect(new UserMemory({ enabled }).enabled).toBe(isEnabled);
    expect(new UserMemory().enabled).toBe(true);
  });

  it.each([
    [{ maxFacts: 0 }, "UserMemory.maxFacts must be a positive integer, got 0."],
    [{ maxFacts: 1.5 }, "UserMemory.maxFacts must be a positive integer, got 1.5."],
    [{ enabled: "no" }, "UserMemory.enabled must be true or false, got a string."],
    [{ model: {} }, "UserMemory.model must be a ModelProvider, with the methods generate, got an object."],
    [{ storage: {} }, "UserMemory.storage must be a StorageDriver, with the methods get, set and list, got an object."],
    [{ max: 3 }, 'Unknown option "max" of UserMemory. Expected storage, model, maxFacts or enabled.'],
  ])("refuses %j in these words", (options, message) => {
    expect(() => new UserMemory(options as object)).toThrow(
      expect.objectContaining({ code: "invalid_config", message }),
    );
  });

  it("maxFacts: 1 keeps one fact, the newest", async () => {
    const memory = new UserMemory({ maxFacts: 1 });
    for (const fact of ["a", "b"]) await memory.addFacts("u", [fact]);
    expect(await memory.getFacts("u")).toMatchObject([{ fact: "b" }]);
  });

  it("maxFacts bounds the facts that a model is told", async () => {
    const storage = new InMemoryStorage();
    await new UserMemory({ storage }).addFacts("u", ["a", "b", "c"]);
    const model = new ScriptedModel(found());
    await new UserMemory({ storage, model, maxFacts: 2 }).extractAndStore("u", exchange("1"));
    expect(model.calls[0]?.messages[1]?.content).toContain("<known_facts>\n- b\n- c\n</known_facts>");
  });
});

describe("a call of UserMemory for an agent with a storage", () => {
  it("writes there, reads all, and removes from all", async () => {
    const [first, second] = [new InMemoryStorage(), new InMemoryStorage()];
    const memory = new UserMemory({ model: new ScriptedModel().respond(() => found("three")) });
    memory.bindStorage(first);
    const [one] = await memory.addFacts("u", ["one"]);
    const [two] = await memory.addFacts("u", ["two"], "manual", { storage: second });
    const [three] = await memory.extractAndStore("u", exchange("1"), undefined, { storage: second });
    const keysIn = async (storage: InMemoryStorage) => (await storage.list("facts")).map(({ key }) => key).toSorted();
    expect(await keysIn(first)).toEqual([`-/u/${one?.id}`]);
    expect(await keysIn(second)).toEqual([`-/u/${two?.id}`, `-/u/${three?.id}`].toSorted());
    expect((await memory.getFacts("u")).map(({ fact }) => fact)).toEqual(["one", "two", "three"]);

    await memory.removeFact("u", two?.id ?? "", { storage: first });
    expect(await keysIn(second)).toEqual([`-/u/${three?.id}`]);
    await memory.clear("u");
    expect([await keysIn(first), await keysIn(second)]).toEqual([[], []]);
  });
});

describe("a call of UserMemory that fails", () => {
  const failing = () => {
    const storage = new InMemoryStorage();
    const state = { fails: false };
    const driver = faultyStorage(storage, () => (state.fails ? "fail-before" : undefined));
    return { memory: new UserMemory({ storage: driver, model: new ScriptedModel(found("x")) }), state };
  };

  it.each<[name: string, call: (memory: UserMemory) => Promise<unknown>]>([
    ["getFacts", (memory) => memory.getFacts("u")],
    ["addFacts", (memory) => memory.addFacts("u", ["b"])],
    ["removeFact", (memory) => memory.removeFact("u", "id")],
    ["clear", (memory) => memory.clear("u")],
    ["getContextString", (memory) => memory.getContextString("u")],
    ["extractAndStore", (memory) => memory.extractAndStore("u", exchange("1"))],
  ])("%s rejects with the failure of the storage", async (_name, call) => {
    const { memory, state } = failing();
    await memory.addFacts("u", ["a"]);
    state.fails = true;
    await expect(call(memory)).rejects.toMatchObject({ code: "storage_unavailable" });
    state.fails = false;
    expect(await memory.getFacts("u")).toMatchObject([{ fact: "a" }]);
  });

  it.each<[name: string, call: (memory: UserMemory) => Promise<unknown>, error: object]>([
    [
      "an id",
      (memory) => memory.removeFact("u", "a/b"),
      { code: "invalid_request", message: "factId must be the id of a fact from getFacts." },
    ],
    [
      "a source",
      (memory) => memory.addFacts("u", ["x"], "guess" as "auto"),
      { code: "invalid_value", message: 'source must be "auto" or "manual".' },
    ],
    [
      "a source of nothing",
      (memory) => memory.addFacts("u", [], "guess" as "auto"),
      { code: "invalid_value", message: 'source must be "auto" or "manual".' },
    ],
    [
      "no model",
      (memory) => memory.extractAndStore("u", []),
      { code: "invalid_config", message: "A model must find the facts. Give one to UserMemory or to extractAndStore." },
    ],
    [
      "a wrong model",
      (memory) => memory.extractAndStore("u", [], {} as ScriptedModel),
      { code: "invalid_config", message: "model must be a ModelProvider, with the methods generate, got an object." },
    ],
  ])("tells of %s in these words", async (_what, call, error) => {
    await expect(call(new UserMemory())).rejects.toMatchObject(error);
  });
});

it.each<[name: string, call: (memory: UserMemory, scope: UserMemoryScope) => Promise<unknown>]>([
  ["getFacts", (memory, scope) => memory.getFacts("u", scope)],
  ["addFacts", (memory, scope) => memory.addFacts("u", ["b"], "auto", scope)],
  ["removeFact", (memory, scope) => memory.removeFact("u", "id", scope)],
  ["clear", (memory, scope) => memory.clear("u", scope)],
  ["getContextString", (memory, scope) => memory.getContextString("u", scope)],
  ["extractAndStore", (memory, scope) => memory.extractAndStore("u", exchange("1"), new ScriptedModel(), scope)],
])("%s ends at once when its signal aborts while the storage is silent", async (_name, call) => {
  const silent = new InMemoryStorage();
  const driver = faultyStorage(silent, () => "hang");
  const abort = new AbortController();
  const calling = call(new UserMemory({ storage: driver }), { signal: abort.signal });
  abort.abort();
  await expect(calling).rejects.toMatchObject({ code: "cancelled" });
});
