import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import type { StorageDriver } from "../storage/storage-driver.ts";
import { noUsage } from "../../base/message/token-usage.ts";
import { SessionStore } from "./session-store.ts";
import type { NewTurn } from "./turn-record.ts";

const ada = { userId: "ada" };
const access = { owner: ada };

function turn(text: string): NewTurn {
  const messages = [{ role: "assistant" as const, content: `Answer to ${text}.` }];
  return { runId: text, runnable: "a", input: text, messages, status: "completed", usage: noUsage };
}

async function say(store: SessionStore, sessionId: string, ...texts: string[]): Promise<void> {
  const session = await store.open(sessionId, access);
  try {
    for (const text of texts) await session.appendTurn(turn(text));
  } finally {
    session.release();
  }
}

async function inputs(store: SessionStore, sessionId: string): Promise<unknown[]> {
  const session = await store.open(sessionId, access);
  try {
    return (await session.loadTurns(50)).map(({ input, seq }) => `${seq}:${input as string}`);
  } finally {
    session.release();
  }
}

async function pageOf(store: SessionStore, sessionId: string): Promise<unknown[]> {
  const { turns } = await store.readTurns(sessionId, access);
  return turns.map(({ input, seq }) => `${seq}:${input as string}`);
}

/** A storage with the five required methods alone. */
function plain(): StorageDriver {
  const storage = new InMemoryStorage();
  return {
    get: async (...call) => await storage.get(...call),
    set: async (...call) => await storage.set(...call),
    delete: async (...call) => await storage.delete(...call),
    list: async (namespace, prefix) => await storage.list(namespace, prefix),
    close: async () => await storage.close(),
  };
}

/** A storage that counts the records written. */
function counting() {
  const storage = new InMemoryStorage();
  let written = 0;
  const count = (name: "set" | "append" | "compareAndSet" | "delete") => {
    const call = storage[name].bind(storage) as (...args: unknown[]) => unknown;
    return (...args: unknown[]) => {
      written += 1;
      return call(...args);
    };
  };
  const driver = new Proxy(storage, {
    get(target, name: keyof InMemoryStorage) {
      if (name === "transaction") return undefined;
      if (name === "set" || name === "append" || name === "compareAndSet" || name === "delete") return count(name);
      const value = target[name] as unknown;
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { driver: driver as StorageDriver, take: () => written - (written = 0) };
}

describe.each([
  ["a storage with append", () => new InMemoryStorage()],
  ["a storage with five methods", plain],
])("a fork of a session in %s", (_name, makeStorage) => {
  it("shares the turns up to its point, and both go on apart from each other", async () => {
    const store = new SessionStore(makeStorage());
    await say(store, "s", "one", "two", "three");
    await store.fork("s", { seq: 2, forkId: "f" }, access);
    await say(store, "f", "other");
    await say(store, "s", "four");
    expect(await inputs(store, "f")).toEqual(["1:one", "2:two", "3:other"]);
    expect(await pageOf(store, "f")).toEqual(["1:one", "2:two", "3:other"]);
    expect(await inputs(store, "s")).toEqual(["1:one", "2:two", "3:three", "4:four"]);
  });

  it("reads through a fork of a fork, at a turn of its own and at a shared one", async () => {
    const store = new SessionStore(makeStorage());
    await say(store, "s", "one", "two");
    await store.fork("s", { seq: 2, forkId: "f" }, access);
    await say(store, "f", "three", "four");
    await store.fork("f", { seq: 3, forkId: "g" }, access);
    await store.fork("f", { seq: 1, forkId: "h" }, access);
    await say(store, "g", "five");
    await say(store, "h", "six");
    expect(await inputs(store, "g")).toEqual(["1:one", "2:two", "3:three", "4:five"]);
    expect(await inputs(store, "h")).toEqual(["1:one", "2:six"]);
  });

  it("keeps the shared turns after the session it was made from is deleted, until it is deleted itself", async () => {
    const storage = makeStorage();
    const store = new SessionStore(storage);
    await say(store, "s", "one", "two", "three");
    await store.fork("s", { seq: 2, forkId: "f" }, access);
    await store.fork("s", { seq: 1, forkId: "g" }, access);
    await store.deleteSession("s", access);
    await expect(store.readSession("s", access)).rejects.toMatchObject({ code: "not_found" });
    expect(await inputs(store, "f")).toEqual(["1:one", "2:two"]);
    expect(await inputs(store, "g")).toEqual(["1:one"]);
    await say(store, "s", "anew");
    expect(await inputs(store, "s")).toEqual(["1:anew"]);
    for (const id of ["s", "f", "g"]) await store.deleteSession(id, access);
    for (const namespace of ["sessions", "turns", "session-forks", "session-recent"]) {
      expect(await storage.list(namespace)).toEqual([]);
    }
  });

  it("keeps the shared turns that are deleted from the session it was made from", async () => {
    const store = new SessionStore(makeStorage());
    await say(store, "s", "one", "two", "three");
    await store.fork("s", { seq: 2, forkId: "f" }, access);
    await store.deleteTurns("s", 2, access);
    expect(await inputs(store, "f")).toEqual(["1:one", "2:two"]);
    expect(await inputs(store, "s")).toEqual(["1:one"]);
  });

  it.each([1, 2, 3])("keeps all turns when those from %i on are deleted from a fork in between", async (from) => {
    const store = new SessionStore(makeStorage());
    await say(store, "s", "one", "two");
    await store.fork("s", { seq: 2, forkId: "f" }, access);
    await say(store, "f", "three");
    await store.fork("f", { seq: 3, forkId: "g" }, access);
    await store.deleteTurns("f", from, access);
    expect(await inputs(store, "g")).toEqual(["1:one", "2:two", "3:three"]);
    expect(await inputs(store, "f")).toEqual(["1:one", "2:two"].slice(0, from - 1));
    await store.deleteSession("s", access);
    expect(await inputs(store, "g")).toEqual(["1:one", "2:two", "3:three"]);
  });

  it("has its turns for a run that opened it before the session it was made from was deleted", async () => {
    const store = new SessionStore(makeStorage());
    await say(store, "s", "one", "two");
    await store.fork("s", { seq: 2, forkId: "f" }, access);
    await say(store, "f", "three");
    await store.fork("f", { seq: 3, forkId: "g" }, access);
    const session = await store.open("g", access);
    for (const id of ["s", "f"]) await store.deleteSession(id, access);
    const names = ["one", "two", "three"];
    expect((await session.loadTurns(10)).map(({ input }) => input)).toEqual(names);
    expect((await session.loadTurnsAt([1, 2, 3])).map(({ input }) => input)).toEqual(names);
    session.release();
  });

  it("loses shared turns that are deleted from the fork, which the other session keeps", async () => {
    const store = new SessionStore(makeStorage());
    await say(store, "s", "one", "two");
    await store.fork("s", { seq: 2, forkId: "f" }, access);
    await say(store, "f", "three");
    await store.deleteTurns("f", 2, access);
    expect(await inputs(store, "f")).toEqual(["1:one"]);
    await say(store, "f", "four");
    expect(await inputs(store, "f")).toEqual(["1:one", "4:four"]);
    expect(await inputs(store, "s")).toEqual(["1:one", "2:two"]);
  });

  it("reads the large files of shared turns, also after the other session is deleted", async () => {
    const store = new SessionStore(makeStorage());
    const data = Buffer.alloc(40_000, "x").toString("base64");
    const session = await store.open("s", access);
    const input = [{ type: "file" as const, data, mimeType: "text/plain" }];
    await session.appendTurn({ ...turn("one"), input });
    session.release();
    await store.fork("s", { seq: 1, forkId: "f" }, access);
    const read = async () => (await store.readTurns("f", access)).turns[0]?.input;
    expect(await read()).toEqual(input);
    await store.deleteSession("s", access);
    expect(await read()).toEqual(input);
  });

  it("rejects a turn that does not exist, and another owner's session", async () => {
    const store = new SessionStore(makeStorage());
    await say(store, "s", "one");
    await expect(store.fork("s", { seq: 2, forkId: "f" }, access)).rejects.toMatchObject({ code: "not_found" });
    const bob = { owner: { userId: "bob" } };
    await expect(store.fork("s", { seq: 1, forkId: "f" }, bob)).rejects.toMatchObject({ code: "not_found" });
    expect(await store.has("f", access)).toBe(false);
  });
});

describe("a fork", () => {
  it("writes as many records from turn 1,000 as from turn 1", async () => {
    const { driver, take } = counting();
    const store = new SessionStore(driver);
    await say(store, "s", ...Array.from({ length: 1000 }, (_, index) => `turn ${index}`));
    take();
    await store.fork("s", { seq: 1, forkId: "first" }, access);
    const first = take();
    await store.fork("s", { seq: 1000, forkId: "last" }, access);
    expect(take()).toBe(first);
    expect(first).toBeLessThanOrEqual(4);
  });

  it("is gone with its user, and so are the turns kept for it", async () => {
    const storage = new InMemoryStorage();
    const store = new SessionStore(storage);
    await say(store, "s", "one");
    await store.fork("s", { seq: 1, forkId: "f" }, access);
    await store.deleteSession("s", access);
    await store.deleteUser("ada");
    for (const namespace of ["sessions", "turns", "session-forks"]) expect(await storage.list(namespace)).toEqual([]);
  });

  it("is found by the run of a turn, from the newest back", async () => {
    const store = new SessionStore(new InMemoryStorage());
    await say(store, "s", ...Array.from({ length: 20 }, (_, index) => `turn ${index}`));
    expect(await store.findTurn("s", "turn 2", access)).toMatchObject({ seq: 3, runId: "turn 2" });
    expect(await store.findTurn("s", "turn 20", access)).toBeUndefined();
    expect(await store.findTurn("other", "turn 2", access)).toBeUndefined();
  });
});
