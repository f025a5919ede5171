import { Agent, Memory, UserMemory } from "@troupe/core";
import type { Logger } from "@troupe/core";
import {
  checkConformance,
  ScriptedModel,
  sessionListCases,
  storageAppendCases,
  storageCompareAndSetCases,
  storageDriverCases,
  storageInsertAllCases,
  storageListManyCases,
  storageListOptionsCases,
  storagePingCases,
  storageWatchCases,
} from "@troupe/core/testing";
import { Collection } from "mongodb";
import { afterAll, describe, expect, it, vi } from "vitest";
import { MongoStorage } from "./mongo-storage.ts";
import { dropTestDb, newName, newStorage, standaloneUrl, testDb } from "./test/collections.ts";

const silent: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silent,
  withSecrets: () => silent,
};
const create = (name = newName()) => newStorage(name, { logger: silent }, standaloneUrl);

describe.skipIf(standaloneUrl === "")("MongoStorage on a standalone server [mongodb.standalone]", () => {
  afterAll(async () => await dropTestDb(standaloneUrl));

  const subject = { create: () => create(), dispose: async (storage: MongoStorage) => await storage.close() };
  const needsReplicaSet = "a standalone server has no transactions, which ifHeld needs";
  checkConformance(it, storageDriverCases, subject);
  checkConformance(it, storageListOptionsCases, subject);
  checkConformance(it, storageListManyCases, subject);
  checkConformance(it, storageAppendCases, {
    ...subject,
    knownGaps: {
      "appends while the lease is held with its token": needsReplicaSet,
      "appends nothing once the lease has another token": needsReplicaSet,
    },
  });
  checkConformance(it, storageCompareAndSetCases, subject);
  checkConformance(it, storageInsertAllCases, subject);
  checkConformance(it, storageWatchCases, {
    ...subject,
    knownGaps: { "calls back when another member wrote, as far as there is one": "transaction needs a replica set" },
  });
  checkConformance(it, storagePingCases, subject);
  checkConformance(it, sessionListCases, subject);

  it("warns once that only one process may use it, and how to mend that", async () => {
    const warn = vi.fn<Logger["warn"]>();
    const storage = newStorage(newName(), { logger: { ...silent, warn } }, standaloneUrl);
    expect(storage.singleProcess).toBeUndefined();
    for (let call = 0; call < 3; call++) await storage.set("ns", "k", call);
    await storage.close();

    expect(warn.mock.calls).toEqual([[expect.stringMatching(/standalone server.*mongod --replSet rs0/)]]);
    expect(storage.singleProcess).toBe(warn.mock.calls[0]?.[0]);
  });

  it("has no change stream to watch with, and calls back after its own writes", async () => {
    const warn = vi.fn<Logger["warn"]>();
    const storage = newStorage(newName(), { logger: { ...silent, warn } }, standaloneUrl);
    const changes = vi.spyOn(Collection.prototype, "aggregate");
    let calls = 0;
    storage.watch("ns", () => (calls += 1));
    await vi.waitFor(() => expect(calls).toBe(1));
    await storage.set("ns", "k", 1);
    await vi.waitFor(() => expect(calls).toBe(2));
    await storage.close();

    expect(changes).not.toHaveBeenCalled();
    expect(warn).toHaveBeenCalledOnce();
    changes.mockRestore();
  });

  it("writes the warning to the standard error stream without a logger", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const storage = newStorage(newName(), {}, standaloneUrl);
    await storage.ping();
    const lines = write.mock.calls.map(([line]) => String(line));
    write.mockRestore();
    await storage.close();

    expect(lines.filter((line) => line.includes("--replSet"))).toHaveLength(1);
  });

  it("refuses ifHeld and transactions, says how to mend it, and writes nothing", async () => {
    const storage = create();
    await storage.set("locks", "lease", { token: 1 });
    const writes = ["a", "b"].map((key) => ({ namespace: "ns", key, value: 1 }));
    const calls = [
      async () => await storage.append("ns", "s/", 1, { ifHeld: { key: "lease", token: 1 } }),
      async () => await storage.transaction(writes),
    ];
    for (const call of calls) {
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "invalid_config" });
      expect(String(error)).toMatch(/needs a replica set.*one server is enough \("mongod --replSet rs0"/);
    }
    expect(await storage.list("ns")).toEqual([]);
    await storage.close();
  });

  it("keeps sessions, memory and facts right within one process", async () => {
    const storage = create();
    const [memory, userMemory] = [new Memory(), new UserMemory({ enabled: false })];
    const model = new ScriptedModel().respond(({ messages }) => `Answer ${messages.length}`);
    const agent = new Agent({ name: "a", model, storage, memory, userMemory });
    const owner = { userId: "ada" };
    const runs = Array.from({ length: 10 }, async (_, index) => {
      return await agent.run(`question ${index}`, { sessionId: "s", ...owner });
    });
    await Promise.all(runs);
    await userMemory.addFacts("ada", ["one", "two"]);
    await userMemory.addFacts("ada", ["three", "four"]);

    const { turns } = await agent.sessions.readTurns("s", { owner });
    expect(turns.map(({ seq, input }) => [seq, input])).toEqual(
      Array.from({ length: 10 }, (_, index) => [index + 1, `question ${index}`]),
    );
    expect(model.calls.map(({ messages }) => messages.length)).toEqual(
      Array.from({ length: 10 }, (_, index) => 2 * index + 1),
    );
    expect(await memory.getMessages("s", owner)).toHaveLength(20);
    await agent.run("later", { sessionId: "s2", ...owner });
    const { sessions } = await agent.sessions.listSessions(owner);
    expect(sessions.map(({ sessionId, turns: count }) => [sessionId, count])).toEqual([
      ["s2", 1],
      ["s", 10],
    ]);
    expect((await userMemory.getFacts("ada")).map(({ fact }) => fact)).toEqual(["one", "two", "three", "four"]);
    await agent.sessions.deleteUser("ada");
    for (const namespace of ["sessions", "session-recent", "turns", "memory", "facts", "locks"]) {
      expect(await storage.list(namespace), namespace).toEqual([]);
    }
    await storage.close();
  });

  it("continues a session after its process was restarted", async () => {
    const name = newName();
    const model = new ScriptedModel().respond(({ messages }) => `Answer ${messages.length}`);
    for (const input of ["one", "two"]) {
      const storage = create(name);
      await new Agent({ name: "a", model, storage }).run(input, { sessionId: "s" });
      await storage.close();
    }

    expect(model.calls[1]?.messages.map(({ content }) => content)).toEqual(["one", "Answer 1", "two"]);
  });

  it("refuses a logger that cannot warn", () => {
    expect(() => new MongoStorage("mongodb://host", testDb, "c", { logger: {} as Logger })).toThrow(
      "logger must be a Logger",
    );
  });
});
