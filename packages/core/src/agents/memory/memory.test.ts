import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { recordQueuesOf } from "../../sessions/lock/session-queues.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { MapStorage } from "../../sessions/storage/test/map-storage.ts";
import { drivers } from "../../sessions/storage/test/drivers.ts";
import { Memory } from "./memory.ts";
import type { MemoryOptions } from "./memory-options.ts";
import { exchange, step } from "./test/conversation.ts";
import { turnOptions } from "./test/turn-options.ts";

const noUser = { userId: undefined };
const names = (count: number) => Array.from({ length: count }, (_, index) => String(index));

describe("Memory", () => {
  it("returns the messages of a session and of no other [memory.add-messages] [memory.get-messages]", async () => {
    const memory = new Memory();
    await memory.addMessages("a", exchange("one"));
    await memory.addMessages("a", exchange("two"));
    await memory.addMessages("b", exchange("three"));

    expect(await memory.getMessages("a")).toEqual([...exchange("one"), ...exchange("two")]);
    expect(await memory.getMessages("b")).toEqual(exchange("three"));
    expect(await memory.getMessages("c")).toEqual([]);
  });

  it("keeps its messages in memory without a storage [memory.storage-default]", async () => {
    const memory = new Memory();
    for (const id of ["a", "b"]) await memory.addMessages(id, exchange(id));

    expect(await new Memory().getMessages("a")).toEqual([]);
    for (const id of ["a", "b"]) expect(await memory.getMessages(id)).toEqual(exchange(id));
  });

  it("keeps its messages in its storage, or in that of its agents", async () => {
    const storage = new InMemoryStorage();
    await new Memory({ storage }).addMessages("a", exchange("one"), noUser);
    const bound = new Memory();
    bound.bindStorage(storage);

    expect(await bound.getMessages("a")).toEqual(exchange("one"));
    expect((await storage.list("memory")).map(({ key }) => key)).toEqual(["-/-/a"]);
  });

  it("keeps 50 messages, and drops older turns [memory.max-short-term]", async () => {
    const memory = new Memory();
    // Turns of one message each: of turns of two, 51 would keep as many.
    const turns = names(60).map((content): ChatMessage => ({ role: "user", content }));
    for (const turn of turns) await memory.addMessages("a", [turn]);

    expect(await memory.getMessages("a")).toEqual(turns.slice(10));
  });

  it("summarises nothing by default [memory.long-term-default]", async () => {
    const memory = new Memory();
    const model = new ScriptedModel();
    for (const name of names(80)) await memory.addMessages("a", exchange(name), { model });

    expect(await memory.getMessages("a")).toEqual(names(80).slice(55).flatMap(exchange));
    expect(await memory.getSummaries("a")).toEqual([]);
    expect(await memory.getContextString("a")).toBe("");
    expect(model.calls).toEqual([]);
  });

  it("limits the size of its record when there are large images, whatever the number of messages", async () => {
    const storage = new InMemoryStorage();
    const memory = new Memory({ storage });
    const turn: ChatMessage[] = [
      { role: "user", content: [{ type: "image", data: "A".repeat(1_000_000) }] },
      { role: "assistant", content: "A cat." },
    ];
    for (let index = 0; index < 6; index++) await memory.addMessages("a", turn, noUser);

    expect(await memory.getMessages("a")).toEqual([...turn, ...turn, ...turn]);
    expect(JSON.stringify(await storage.get("memory", "-/-/a")).length).toBeLessThan(4_000_000);
  });

  it("begins its window with the user, and never separates a call from its result", async () => {
    const memory = new Memory({ maxShortTermMessages: 4 });
    await memory.addMessages("a", [...exchange("one"), { role: "user", content: "Look." }, ...step("s")]);

    expect(await memory.getMessages("a")).toEqual([{ role: "user", content: "Look." }, ...step("s")]);
  });

  it("accepts messages in pieces, and returns a valid history in between [memory.add-messages] [memory.get-messages]", async () => {
    const memory = new Memory();
    const turn = [{ role: "user", content: "Look." } as const, ...step("s")];
    await memory.addMessages("a", turn.slice(0, 2));
    const between = await memory.getMessages("a");
    await memory.addMessages("a", turn.slice(2));

    expect(between.at(-1)).toMatchObject({ role: "tool", content: "interrupted" });
    expect(await memory.getMessages("a")).toEqual(turn);
  });

  it("leaves instructions out", async () => {
    const storage = new InMemoryStorage();
    const memory = new Memory({ storage });
    const [question, reply] = exchange("one") as [ChatMessage, ChatMessage];
    await memory.addMessages("a", [question, { role: "system", content: "Obey." }, reply], noUser);

    expect(await memory.getMessages("a")).toEqual([question, reply]);
    expect(JSON.stringify(await storage.get("memory", "-/-/a"))).not.toContain("Obey.");
  });

  it("forgets a session [memory.clear]", async () => {
    const storage = new InMemoryStorage();
    const memory = new Memory({ storage });
    for (const id of ["a", "b"]) await memory.addMessages(id, exchange(id), noUser);

    expect([await memory.clear("a", noUser), await memory.clear("never-there", noUser)]).toEqual([1, 0]);
    expect(await memory.getMessages("a")).toEqual([]);
    expect((await storage.list("memory")).map(({ key }) => key)).toEqual(["-/-/b"]);
    expect((await storage.list("memory-by-id")).map(({ key }) => key)).toEqual(["b/-/-"]);
  });

  it("forgets a session a second time, and no other", async () => {
    const memory = new Memory();
    for (let round = 0; round < 2; round++) {
      for (const id of ["a", "b"]) await memory.addMessages(id, exchange(`${id}${round}`));
      await memory.clear("a");
      expect(await memory.getMessages("a")).toEqual([]);
    }

    expect(await memory.getMessages("b")).toEqual([...exchange("b0"), ...exchange("b1")]);
  });

  it("separates tenants", async () => {
    const memory = new Memory();
    await memory.addMessages("a", exchange("one"), { tenantId: "x" });

    expect(await memory.getMessages("a", { tenantId: "y" })).toEqual([]);
    expect(await memory.getMessages("a", noUser)).toEqual([]);
    await memory.clear("a", { tenantId: "y" });
    expect(await memory.getMessages("a", { tenantId: "x" })).toEqual(exchange("one"));
  });

  it.each(["", "a/b", "a\0", "a\u{d800}", "x".repeat(129), undefined as unknown as string])(
    "refuses the session id %j",
    async (sessionId) => {
      const memory = new Memory();

      for (const attempt of [memory.addMessages(sessionId, []), memory.recall(sessionId), memory.clear(sessionId)]) {
        await expect(attempt).rejects.toMatchObject({ code: "invalid_request" });
      }
    },
  );

  it("refuses a value that is not a message before it stores anything", async () => {
    const memory = new Memory();
    const wrong = [...exchange("one"), { role: "robot", content: "x" } as unknown as ChatMessage];

    await expect(memory.addMessages("a", wrong)).rejects.toMatchObject({ code: "invalid_value" });
    expect(await memory.getMessages("a")).toEqual([]);
  });

  it("reports a damaged record and never returns it as empty; clear repairs it", async () => {
    const storage = new InMemoryStorage();
    const memory = new Memory({ storage });
    for (const damage of [{}, { v: 1 }, { v: 9 }, "text", { v: 1, messages: [{}], summaries: [], through: 0 }]) {
      await storage.set("memory", "-/-/a", damage);
      await expect(memory.getMessages("a")).rejects.toMatchObject({ code: "storage_corrupt" });
      await expect(memory.getSummaries("a")).rejects.toMatchObject({ code: "storage_corrupt" });
      await expect(memory.addMessages("a", exchange("one"))).rejects.toMatchObject({ code: "storage_corrupt" });
    }
    await memory.clear("a");

    expect(await memory.getMessages("a")).toEqual([]);
  });

  it.each([
    [{ maxShortTermMessages: 0 }, "maxShortTermMessages"],
    [{ maxShortTermMessages: Number.NaN }, "maxShortTermMessages"],
    [{ enableLongTerm: "yes" }, "enableLongTerm"],
    [{ model: {} }, "model"],
    [{ storage: "file.db" }, "Memory.storage"],
    [{ maxMessages: 3 }, "maxMessages"],
    [null, "Memory"],
  ])("refuses the options %j", (options, named) => {
    expect(() => new Memory(options as unknown as MemoryOptions)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(named) }),
    );
  });
});

describe.each(drivers)("Memory over a storage with %s", (_, create) => {
  it("loses nothing when many calls add to one session at once, and leaves no waiter", async () => {
    const storage = create();
    // Two memories, as two agents of one process may have.
    const memories = [new Memory({ storage }), new Memory({ storage })];
    await Promise.all(
      names(20).map(async (name, index) => await memories[index % 2]?.addMessages("a", exchange(name))),
    );

    expect(await memories[0]?.getMessages("a")).toEqual(names(20).flatMap(exchange));
    expect(recordQueuesOf(storage).busyKeys).toBe(0);
  });

  it("clears while messages are added: each turn is stored as a whole or not at all", async () => {
    const memory = new Memory({ storage: create() });
    await Promise.all([
      memory.addMessages("a", exchange("one")),
      memory.clear("a"),
      memory.addMessages("a", exchange("two")),
    ]);

    expect(await memory.getMessages("a")).toEqual(exchange("two"));
  });
});

describe("Memory that follows the turns of a session", () => {
  it("adds a turn once, and none that precedes one it has", async () => {
    const memory = new Memory();
    await memory.addMessages("a", exchange("1"), turnOptions({ ...noUser, through: 1 }));
    await memory.addMessages("a", exchange("2"), turnOptions({ ...noUser, through: 2 }));
    await memory.addMessages("a", exchange("2"), turnOptions({ ...noUser, through: 2 }));
    await memory.addMessages("a", exchange("1"), turnOptions({ ...noUser, through: 1 }));

    expect(await memory.recall("a", noUser)).toEqual({
      messages: [...exchange("1"), ...exchange("2")],
      context: "",
      through: 2,
    });
  });

  it("returns the whole memory with one read of the storage", async () => {
    const storage = new MapStorage();
    const memory = new Memory({ storage, enableLongTerm: true, maxShortTermMessages: 2 });
    for (const name of names(20))
      await memory.addMessages("a", exchange(name), turnOptions({ ...noUser, through: Number(name) + 1 }));
    const looks: string[] = [];
    const get = storage.get.bind(storage);
    storage.get = async (namespace, key) => {
      looks.push(key);
      return await get(namespace, key);
    };
    const recalled = await memory.recall("a", noUser);

    expect(looks).toEqual(["-/-/a"]);
    expect(recalled).toEqual({
      messages: await memory.getMessages("a", noUser),
      context: await memory.getContextString("a", noUser),
      through: 20,
    });
  });

  it("follows a session that began anew", async () => {
    const memory = new Memory();
    await memory.addMessages("a", exchange("old"), turnOptions({ ...noUser, through: 57 }));
    const { through } = await memory.recall("a", noUser);
    await memory.addMessages("a", exchange("new"), turnOptions({ ...noUser, after: through, through: 1 }));
    await memory.addMessages("a", exchange("new"), turnOptions({ ...noUser, after: through, through: 1 }));

    expect(await memory.recall("a", noUser)).toMatchObject({
      messages: [...exchange("old"), ...exchange("new")],
      through: 1,
    });
  });

  it("does not add turns again that were cleared", async () => {
    const memory = new Memory();
    await memory.addMessages("a", exchange("1"), turnOptions({ ...noUser, through: 1 }));
    await memory.clear("a", noUser);
    await memory.addMessages("a", exchange("1"), turnOptions({ ...noUser, through: 1 }));

    expect(await memory.recall("a", noUser)).toEqual({ messages: [], context: "", through: 1 });
  });

  it("forgets the number of the last turn when asked to", async () => {
    const storage = new InMemoryStorage();
    const memory = new Memory({ storage });
    await memory.addMessages("a", exchange("1"), turnOptions({ ...noUser, through: 1 }));
    await memory.clear("a", { ...noUser, through: 0 });

    expect(await storage.list("memory")).toEqual([]);
    expect(await storage.list("memory-by-id")).toEqual([]);
  });

  it.each([-1, 1.5, Number.NaN, "1" as unknown as number])("refuses the turn number %j", async (through) => {
    await expect(new Memory().addMessages("a", [], turnOptions({ through }))).rejects.toMatchObject({
      code: "invalid_value",
    });
  });
});
