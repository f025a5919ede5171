import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { recordQueuesOf } from "../../sessions/lock/session-queues.ts";
import { SessionStore } from "../../sessions/session/session-store.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { FaultInjector } from "../../sessions/storage/test/fault-injector.ts";
import { MapStorage } from "../../sessions/storage/test/map-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { Memory } from "./memory.ts";
import { changeRecord, withRecordLock } from "./record-lock.ts";
import { exchange } from "./test/conversation.ts";
import { turnOptions } from "./test/turn-options.ts";

const place = { namespace: "memory", key: "-/a" };

/** The storage as another process has it: the same records, another queue. */
const asOtherProcess = (storage: InMemoryStorage) => faultyStorage(storage, () => undefined);

describe("changeRecord", () => {
  it("loses no change of another process, when the storage has compareAndSet", async () => {
    const storage = new InMemoryStorage();
    const memories = [1, 2, 3].map(() => new Memory({ storage: asOtherProcess(storage) }));
    await Promise.all(memories.map(async (memory, index) => await memory.addMessages("a", exchange(String(index)))));

    const messages = await new Memory({ storage }).getMessages("a");
    expect(messages).toHaveLength(6);
    expect(messages).toEqual(expect.arrayContaining(["0", "1", "2"].flatMap(exchange)));
  });

  it("gives up when other processes always write first", async () => {
    const storage = new InMemoryStorage();
    let changes = 0;
    const changed = changeRecord({ driver: storage, place }, async () => {
      await storage.set("memory", "-/a", ++changes);
      return "late";
    });

    await expect(changed).rejects.toMatchObject({
      code: "conflict",
      message: "Other processes keep changing this memory. Try again later.",
    });
    expect(await storage.get("memory", "-/a")).toBe(changes);
    expect(changes).toBe(5);
  });

  it("writes nothing when there is nothing to change", async () => {
    const storage = new InMemoryStorage();
    await storage.set("memory", "-/a", "before");
    await changeRecord({ driver: storage, place }, async () => undefined);

    expect(await storage.get("memory", "-/a")).toBe("before");
  });
});

const never = () => new Promise<never>(() => {});

describe("withRecordLock", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("does not wait for the run that holds the session", async () => {
    const storage = new InMemoryStorage();
    const session = await new SessionStore(storage).open("a");
    const memory = new Memory({ storage });
    await memory.addMessages("a", exchange("1"), turnOptions({ through: 1 }));
    session.release();

    expect(await memory.getMessages("a")).toEqual(exchange("1"));
    expect(recordQueuesOf(storage).busyKeys).toBe(0);
  });

  it("waits for a write that its caller gave up on, and then names the cause", async () => {
    const driver = new InMemoryStorage();
    const abort = new AbortController();
    const first = withRecordLock({ driver, place }, async (held) => await held.write(never, abort.signal));
    const second = withRecordLock({ driver, place }, async () => "done").catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1);
    abort.abort();
    await expect(first).rejects.toMatchObject({ code: "cancelled" });
    await vi.advanceTimersByTimeAsync(60_000);

    expect(await second).toMatchObject({
      code: "conflict",
      message: "Too many calls change this memory at once, or its storage does not answer. Try again later.",
      cause: { code: "conflict" },
    });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("stops waiting when its signal aborts, and leaves the queue", async () => {
    const driver = new InMemoryStorage();
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = withRecordLock({ driver, place }, async () => await promise);
    const second = withRecordLock({ driver, place, signal: abort.signal }, async () => "done");
    abort.abort();
    await expect(second).rejects.toMatchObject({ code: "cancelled" });
    resolve();
    await first;

    expect(recordQueuesOf(driver).busyKeys).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the writes of changeRecord", () => {
  const changeIn = async (driver: StorageDriver, next: Json | null) => {
    const watched = new FaultInjector(driver);
    await changeRecord({ driver: watched.driver, place }, async () => next);
    return watched.calls;
  };

  it("are none to delete what is not there, and one to delete what is", async () => {
    const driver = new MapStorage();
    expect(await changeIn(driver, null)).toEqual(["get"]);
    expect(await changeIn(driver, "a")).toEqual(["get", "set"]);
    expect(await driver.get("memory", "-/a")).toBe("a");
    expect(await changeIn(driver, null)).toEqual(["get", "delete"]);
    expect(await driver.get("memory", "-/a")).toBeNull();
  });

  it("compare with what was read where the storage can", async () => {
    const driver = new InMemoryStorage();
    expect(await changeIn(driver, "a")).toEqual(["get", "compareAndSet"]);
    expect(await changeIn(driver, null)).toEqual(["get", "compareAndSet"]);
    expect(await driver.get("memory", "-/a")).toBeNull();
  });
});
