import { describe, expect, expectTypeOf, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { drivers } from "../../sessions/storage/test/drivers.ts";
import { FaultInjector } from "../../sessions/storage/test/fault-injector.ts";
import { Memory } from "./memory.ts";
import type { MemoryScope } from "./memory-options.ts";
import type { RecallingMemory } from "./stand-in-memory.ts";
import { exchange } from "./test/conversation.ts";
import { turnOptions } from "./test/turn-options.ts";

const owners: MemoryScope[] = [
  { userId: undefined },
  { userId: "ada" },
  { userId: "-" },
  { userId: "Zoë/s" },
  { userId: "ada", verified: false },
  { tenantId: "acme", userId: "ada" },
  { tenantId: "acme" },
];

const entriesOf = async (storage: StorageDriver) => (await storage.list("memory-by-id")).map(({ key }) => key);

describe.each(drivers)("Memory by the session id alone, over a storage with %s", (_, create) => {
  it.each(owners)("finds and clears the one session of the id, whose owner is %j [memory.by-id]", async (owner) => {
    const storage = create();
    const memory = new Memory({ storage });
    await memory.addMessages("s", exchange("one"), owner);
    await memory.addMessages("t", exchange("other"), owner);
    await memory.addMessages("s", exchange("two"));

    expect(await memory.getMessages("s")).toEqual([...exchange("one"), ...exchange("two")]);
    expect(await memory.getMessages("s", owner)).toEqual([...exchange("one"), ...exchange("two")]);
    expect([await memory.clear("s"), await memory.clear("s")]).toEqual([1, 0]);
    expect(await memory.getMessages("s", owner)).toEqual([]);
    expect(await memory.getMessages("t", owner)).toEqual(exchange("other"));
    expect((await entriesOf(storage)).map((key) => key.split("/")[0])).toEqual(["t"]);
  });

  it("refuses to choose among several owners, and clears all of them [memory.by-id]", async () => {
    const memory = new Memory({ storage: create() });
    for (const owner of owners) await memory.addMessages("s", exchange(JSON.stringify(owner)), owner);

    const calls = [
      () => memory.addMessages("s", exchange("x")),
      () => memory.addMessages("s", []),
      () => memory.getMessages("s"),
      () => memory.getSummaries("s"),
      () => memory.getContextString("s"),
    ];
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("{ userId }") });
    }
    for (const owner of owners) {
      expect(await memory.getMessages("s", owner)).toEqual(exchange(JSON.stringify(owner)));
    }
    expect(await memory.clear("s")).toBe(owners.length);
    for (const owner of owners) expect(await memory.getMessages("s", owner)).toEqual([]);
  });

  it("keeps what is added before there is a session for the first run of the program [memory.seed]", async () => {
    const storage = create();
    const memory = new Memory({ storage });
    for (const name of ["one", "two"]) await memory.addMessages("s", exchange(name));
    expect(await memory.getMessages("s")).toEqual(["one", "two"].flatMap(exchange));
    for (const owner of owners) expect((await memory.recall("s", owner)).messages).toEqual([]);

    expect((await memory.recall("s", { userId: "ada", takesSeed: true })).messages).toHaveLength(4);
    expect((await memory.recall("s", { userId: "bob", takesSeed: true })).messages).toEqual([]);
    await memory.addMessages("s", exchange("three"));
    await memory.addMessages("s", exchange("four"), turnOptions({ userId: "ada", through: 1 }));
    expect(await memory.getMessages("s", { userId: "ada" })).toEqual(["one", "two", "three", "four"].flatMap(exchange));
    expect(await entriesOf(storage)).toEqual(["s/-/ada"]);
  });

  it("takes a seed over once, when two sessions want it at once and the program adds to it [memory.seed]", async () => {
    const storage = create();
    const memory = new Memory({ storage });
    await memory.addMessages("s", exchange("seed"));
    await Promise.all([
      ...["ada", "bob"].map(async (userId) => await memory.recall("s", { userId, takesSeed: true })),
      memory.addMessages("s", exchange("x")),
    ]);

    const contents = await Promise.all(["ada", "bob"].map(async (userId) => await memory.getMessages("s", { userId })));
    expect(contents.toSorted((one, other) => one.length - other.length)).toEqual([
      [],
      [...exchange("seed"), ...exchange("x")],
    ]);
  });

  it("counts a seed as a session that it clears, also while it is taken over [memory.seed]", async () => {
    const storage = create();
    const memory = new Memory({ storage });
    await memory.addMessages("s", exchange("seed"));
    await memory.addMessages("t", exchange("seed"));
    await memory.recall("t", { userId: "ada", takesSeed: true });

    expect([await memory.clear("s"), await memory.clear("t")]).toEqual([1, 1]);
    expect([await memory.getMessages("s"), await memory.getMessages("t")]).toEqual([[], []]);
    expect(await entriesOf(storage)).toEqual([]);
  });

  it("skips and removes an entry without a memory", async () => {
    const storage = create();
    const memory = new Memory({ storage });
    await storage.set("memory-by-id", "s/-/gone", { v: 1 });
    await memory.addMessages("s", exchange("one"), { userId: "ada" });

    expect(await memory.getMessages("s")).toEqual(exchange("one"));
    expect(await entriesOf(storage)).toEqual(["s/-/ada"]);
  });
});

describe("Memory by the session id alone", () => {
  it("takes the context of a run for its owner, also of a run without a user [memory.by-id]", async () => {
    const memory = new Memory();
    await memory.addMessages("s", exchange("secret"), { userId: "ada" });
    const { signal } = new AbortController();
    const context = { runId: "r", agentName: "a", sessionId: "s", metadata: {}, signal };

    expect(await memory.getMessages("s", context)).toEqual([]);
    expect(await memory.getMessages("s", { userId: undefined })).toEqual([]);
    expect(await memory.clear("s", context)).toBe(0);
    expect(await memory.getMessages("s", { userId: "ada" })).toEqual(exchange("secret"));
  });

  it("is not part of what an agent's run can call: each call states the owner", () => {
    expectTypeOf<Parameters<RecallingMemory["recall"]>[1]>().toHaveProperty("userId");
    expectTypeOf<object>().not.toExtend<Parameters<RecallingMemory["recall"]>[1]>();
    expectTypeOf<{ signal: AbortSignal }>().not.toExtend<Parameters<RecallingMemory["clear"]>[1]>();
    expectTypeOf<object>().not.toExtend<Parameters<RecallingMemory["addMessages"]>[2]>();
  });

  it("finds memories without an entry, of earlier releases: without a user at once, others after their next turn", async () => {
    const storage = new InMemoryStorage();
    const memory = new Memory({ storage });
    for (const owner of [{ userId: undefined }, { userId: "ada" }]) {
      await memory.addMessages(`s-${owner.userId}`, exchange("one"), owner);
    }
    for (const entry of await entriesOf(storage)) await storage.delete("memory-by-id", entry);
    for (const { key, value } of await storage.list("memory")) {
      const { indexed: _, ...old } = value as { indexed?: boolean };
      await storage.set("memory", key, old);
    }

    expect(await memory.getMessages("s-undefined")).toEqual(exchange("one"));
    expect(await memory.getMessages("s-ada")).toEqual([]);
    await memory.addMessages("s-ada", exchange("two"), { userId: "ada" });
    expect(await memory.getMessages("s-ada")).toEqual([...exchange("one"), ...exchange("two")]);
  });

  it("costs the owner of a session no request more, after its first turn", async () => {
    const watched = new FaultInjector(new InMemoryStorage());
    const memory = new Memory({ storage: watched.driver });
    const callsOf = async (turn: number) => {
      watched.calls.length = 0;
      await memory.recall("s", { userId: "ada", takesSeed: true });
      await memory.addMessages("s", exchange("x"), turnOptions({ userId: "ada", through: turn }));
      return [...watched.calls];
    };

    expect(await callsOf(1)).toEqual(["get", "get", "get", "set", "compareAndSet", "get"]);
    expect(await callsOf(2)).toEqual(["get", "get", "compareAndSet"]);
  });

  it("gives a memory its entry again when another process takes it for that of no memory, whenever each of them pauses", async () => {
    const storage = new InMemoryStorage();
    const [ours, theirs] = [new FaultInjector(storage), new FaultInjector(storage)];
    const [memory, other] = [new Memory({ storage: ours.driver }), new Memory({ storage: theirs.driver })];
    let removals = 0;
    const pauses = [1, 2, 3, 4].flatMap((atCall) => [1, 2, 3, 4, 5, 6].map((theirCall) => ({ atCall, theirCall })));
    for (const { atCall, theirCall } of pauses) {
      const id = `s${atCall}.${theirCall}`;
      const added = paused(ours, atCall, () => memory.addMessages(id, exchange(id), { userId: "ada" }));
      await added.reached;
      const read = paused(theirs, theirCall, () => other.getMessages(id));
      await read.reached;
      ours.disarm();
      await added.done;
      theirs.disarm();
      await read.done;

      removals += theirs.calls.filter((name) => name === "delete").length;
      expect(await entriesOf(storage)).toContain(`${id}/-/ada`);
    }
    expect(removals).toBeGreaterThan(1);
  });
});

/** Starts work that pauses before a call of its storage, until the injector is disarmed. */
function paused(injector: FaultInjector, atCall: number, work: () => Promise<unknown>) {
  let pause = () => {};
  const isPaused = new Promise<void>((resolve) => (pause = resolve));
  injector.plan({ fault: "hangs and does it later", atCall, onHang: pause });
  const done = work();
  return { done, reached: Promise.race([isPaused, done]) };
}
