import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../sessions/storage/in-memory-storage.ts";
import type { StorageDriver } from "../sessions/storage/storage-driver.ts";
import { faultAtCall, faultyStorage } from "./faulty-storage.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("faultyStorage", () => {
  it("counts calls and passes on those without a fault", async () => {
    const storage = faultyStorage(new InMemoryStorage(), () => undefined);
    await storage.set("n", "k", 1);

    expect(await storage.get("n", "k")).toBe(1);
    expect(storage.callCount).toBe(2);
  });

  it("has exactly the members that its driver has", async () => {
    const driver = new InMemoryStorage();
    const plainDriver: StorageDriver = {
      get: async (namespace, key) => await driver.get(namespace, key),
      set: async (namespace, key, value) => await driver.set(namespace, key, value),
      delete: async (namespace, key) => await driver.delete(namespace, key),
      list: async (namespace, prefix) => await driver.list(namespace, prefix),
      close: async () => await driver.close(),
    };

    expect("append" in faultyStorage(plainDriver, () => undefined)).toBe(false);
    expect("append" in faultyStorage(driver, () => undefined)).toBe(true);
  });

  it("fails a call before it does anything", async () => {
    const driver = new InMemoryStorage();
    const storage = faultyStorage(driver, faultAtCall(1, "fail-before"));

    await expect(storage.set("n", "k", 1)).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await driver.get("n", "k")).toBeNull();
  });

  it("fails a call after it was done", async () => {
    const driver = new InMemoryStorage();
    const storage = faultyStorage(driver, faultAtCall(1, "fail-after"));

    await expect(storage.set("n", "k", 1)).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await driver.get("n", "k")).toBe(1);
  });

  it("damages records and no other results", async () => {
    const driver = new InMemoryStorage();
    await driver.set("n", "k", { v: 1 });
    const storage = faultyStorage(driver, () => "corrupt");

    expect(await storage.get("n", "k")).toEqual({ damaged: true });
    expect(await storage.list("n")).toEqual([{ key: "k", value: { damaged: true } }]);
    expect(await storage.get("n", "absent")).toBeNull();
    expect(await driver.get("n", "k")).toEqual({ v: 1 });
  });

  it("passes on insertAll with faults and without damage to its answer, and watching as no call", async () => {
    const storage = faultyStorage(new InMemoryStorage(), ({ number }) => (number === 1 ? "corrupt" : "fail-after"));
    const write = { namespace: "n", key: "k", value: 1 };
    let calls = 0;
    const stop = storage.watch?.("n", () => (calls += 1));

    expect(await storage.insertAll?.([write])).toEqual([true]);
    expect(calls).toBe(1);
    stop?.();
    await expect(storage.insertAll?.([write])).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(storage.callCount).toBe(2);
  });

  it("damages the records of several listings", async () => {
    const storage = faultyStorage(new InMemoryStorage(), faultAtCall(2, "corrupt"));
    await storage.set("n", "k", 1);
    const listing = { namespace: "n", prefix: "", limit: 9 };

    expect(await storage.listMany?.([listing, { ...listing, after: "k" }])).toEqual([
      [{ key: "k", value: { damaged: true } }],
      [],
    ]);
    expect(await storage.listMany?.([listing])).toEqual([[{ key: "k", value: 1 }]]);
  });

  it("resolves late, or never", async () => {
    const settled: string[] = [];
    const storage = faultyStorage(new InMemoryStorage(), ({ number }) => (number === 1 ? "hang" : { delayMs: 100 }));
    void storage.get("n", "k").then(() => settled.push("hanging"));
    void storage.get("n", "k").then(() => settled.push("late"));

    await vi.advanceTimersByTimeAsync(99);
    expect(settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(settled).toEqual(["late"]);
  });

  it("closes without a fault and without counting the call", async () => {
    const storage = faultyStorage(new InMemoryStorage(), () => "fail-before");
    await storage.close();

    expect(storage.callCount).toBe(0);
  });
});
