import { afterEach, describe, expect, it, vi } from "vitest";
import { recordQueuesOf } from "../lock/session-queues.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { MapStorage } from "../storage/test/map-storage.ts";
import { OneProcessStorage } from "../storage/test/one-process-storage.ts";
import { toldCalls } from "../storage/test/told-calls.ts";
import { applyWrites, changeSession, nextRecord, withLocalLock } from "./change-session.ts";
import type { SessionRecord } from "./session-record.ts";

const key = "-/ada/s";
const record: SessionRecord = { v: 1, owner: { userId: "ada" }, createdAt: 1, updatedAt: 2, turns: 0 };
const oneMore = (stored: SessionRecord): SessionRecord => ({ ...stored, turns: stored.turns + 1 });
const get = `get sessions ${key}`;
const compareAndSet = `compareAndSet sessions ${key}`;

afterEach(() => {
  vi.useRealTimers();
});

const kinds = [
  ["with compareAndSet", () => new InMemoryStorage()],
  ["with the five required methods", () => new MapStorage()],
] as const;

describe.each(kinds)("a change of a session's record in a storage %s", (_kind, create) => {
  it("returns the record before and after, which is stored", async () => {
    const storage = create();
    await storage.set("sessions", key, record as never);
    const change = await changeSession(storage, key, { change: oneMore });
    expect(change).toEqual({ before: record, after: { ...record, turns: 1 } });
    expect(await storage.get("sessions", key)).toEqual({ ...record, turns: 1 });
  });

  it("writes nothing without a session, or when it is refused", async () => {
    const storage = create();
    expect(await changeSession(storage, key, { change: oneMore })).toBeNull();
    expect(await storage.get("sessions", key)).toBeNull();
    await storage.set("sessions", key, record as never);
    const { driver, calls } = toldCalls(storage);
    expect(await changeSession(driver, key, { change: () => null })).toBeNull();
    expect(calls).toEqual([get]);
  });

  it("is lost by none of many at the same time", async () => {
    const storage = create();
    await storage.set("sessions", key, record as never);
    const changes = await Promise.all(
      Array.from({ length: 4 }, () => changeSession(storage, key, { change: oneMore })),
    );
    expect(changes.map((change) => change?.after.turns).toSorted((one = 0, other = 0) => one - other)).toEqual([
      1, 2, 3, 4,
    ]);
    expect(await storage.get("sessions", key)).toMatchObject({ turns: 4 });
  });

  it("fails when it cannot be stored", async () => {
    const storage = create();
    await storage.set("sessions", key, record as never);
    const { driver } = toldCalls(storage, ({ method }) => (method === "get" ? undefined : "fail-before"));
    await expect(changeSession(driver, key, { change: oneMore })).rejects.toMatchObject({
      code: "storage_unavailable",
    });
  });

  it("tells of a damaged record by its place", async () => {
    const storage = create();
    await storage.set("sessions", key, { v: 1 });
    await expect(changeSession(storage, key, { change: oneMore })).rejects.toMatchObject({
      code: "storage_corrupt",
      fields: { namespace: "sessions", key },
    });
  });
});

describe("a change of a record that is known", () => {
  async function changed(stored: SessionRecord | null, known: SessionRecord) {
    const storage = new InMemoryStorage();
    if (stored !== null) await storage.set("sessions", key, stored as never);
    const { driver, calls } = toldCalls(storage);
    return { change: await changeSession(driver, key, { change: oneMore, known }), calls };
  }

  it("reads nothing when it is as it was", async () => {
    const { change, calls } = await changed(record, record);
    expect(change).toEqual({ before: record, after: { ...record, turns: 1 } });
    expect(calls).toEqual([compareAndSet]);
  });

  it("reads again when others have changed it, and keeps their change", async () => {
    const stored = { ...record, turns: 7, title: "New" };
    const { change, calls } = await changed(stored, record);
    expect(change).toEqual({ before: stored, after: { ...stored, turns: 8 } });
    expect(calls).toEqual([compareAndSet, get, compareAndSet]);
  });

  it("writes nothing when it was deleted", async () => {
    const { change, calls } = await changed(null, record);
    expect(change).toBeNull();
    expect(calls).toEqual([compareAndSet, get]);
  });

  it("is given up after five tries when others keep coming first", async () => {
    const storage = new InMemoryStorage();
    await storage.set("sessions", key, record as never);
    const lost = vi.spyOn(storage, "compareAndSet").mockResolvedValue(false);
    expect(await changeSession(storage, key, { change: oneMore, known: record })).toBeNull();
    expect(lost).toHaveBeenCalledTimes(5);
  });
});

describe("the lock of a record within this process", () => {
  it("lets one work after the other, for each record on its own, and also after one that fails", async () => {
    const driver = new MapStorage();
    const order: string[] = [];
    const work =
      (name: string, fails = false) =>
      async () => {
        order.push(`${name} begins`);
        await Promise.resolve();
        order.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const [one, two, other] = await Promise.allSettled([
      withLocalLock(driver, "a", work("one", true)),
      withLocalLock(driver, "a", work("two")),
      withLocalLock(driver, "b", work("other")),
    ]);
    expect(one).toMatchObject({ status: "rejected", reason: { message: "one" } });
    expect([two, other]).toEqual([
      { status: "fulfilled", value: "two" },
      { status: "fulfilled", value: "other" },
    ]);
    expect(order.indexOf("two begins")).toBeGreaterThan(order.indexOf("one ends"));
    expect(order.indexOf("other begins")).toBeLessThan(order.indexOf("one ends"));
    expect(recordQueuesOf(driver).busyKeys).toBe(0);
  });

  it("has room for a thousand that wait, a minute each", async () => {
    vi.useFakeTimers();
    const driver = new MapStorage();
    const held = Promise.withResolvers<string>();
    const first = withLocalLock(driver, "a", async () => await held.promise);
    const others = Array.from({ length: 1001 }, (_, index) =>
      withLocalLock(driver, "a", async () => await Promise.resolve(index)).catch(
        (error: { code: string }) => error.code,
      ),
    );
    expect(await others.at(-1)).toBe("conflict");
    await vi.advanceTimersByTimeAsync(59_999);
    const seen = vi.fn<(outcome: unknown) => void>();
    void others[0]?.then(seen);
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toHaveBeenCalledExactlyOnceWith("conflict");
    held.resolve("done");
    expect(await first).toBe("done");
  });
});

describe("the next record", () => {
  it("is made of what is stored, which it does not write", async () => {
    const storage = new InMemoryStorage();
    expect(await nextRecord(storage, key, oneMore)).toBeNull();
    await storage.set("sessions", key, record as never);
    expect(await nextRecord(storage, key, oneMore)).toEqual({ before: record, after: { ...record, turns: 1 } });
    expect(await nextRecord(storage, key, () => null)).toBeNull();
    expect(await storage.get("sessions", key)).toEqual(record);
  });
});

describe("several writes", () => {
  const writes = [
    { namespace: "a", key: "1", value: 1 },
    { namespace: "b", key: "2", value: null },
    { namespace: "a", key: "3", value: { v: 3 } },
  ];

  it("are one step of a storage that can, and one alone is none", async () => {
    const { driver, calls } = toldCalls(new InMemoryStorage());
    await applyWrites(driver, writes);
    await applyWrites(driver, writes.slice(0, 1));
    await applyWrites(driver, []);
    await applyWrites(driver, writes.slice(1));
    expect(calls).toEqual(["transaction +a 1, -b 2, +a 3", "set a 1", "transaction -b 2, +a 3"]);
  });

  it.each(["set", "delete"])("end with the first whose %s fails", async (failing) => {
    const { driver, calls } = toldCalls(new MapStorage(), ({ method }) =>
      method === failing ? "fail-before" : undefined,
    );
    await expect(applyWrites(driver, writes)).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(calls).toEqual(["set a 1", "delete b 2"].slice(0, failing === "set" ? 1 : 2));
  });

  it.each([
    ["without transactions", () => new MapStorage()],
    ["for one process", () => Object.assign(new OneProcessStorage(new InMemoryStorage()), { calls: ["get"] })],
  ])("are made in their order in a storage %s", async (_kind, create) => {
    const storage = create();
    await storage.set("b", "2", true);
    const { driver, calls } = toldCalls(storage);
    await applyWrites(driver, writes);
    expect(calls).toEqual(["set a 1", "delete b 2", "set a 3"]);
    expect(await storage.get("b", "2")).toBeNull();
    expect(await storage.get("a", "3")).toEqual({ v: 3 });
  });
});
