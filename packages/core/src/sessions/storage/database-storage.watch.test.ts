import { afterEach, describe, expect, it, vi } from "vitest";
import { DatabaseStorage } from "./database-storage.ts";
import type { RecordDatabase } from "./record-database.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A storage that makes its watching public, as those with a database that can be watched do. */
class WatchedStorage extends DatabaseStorage {
  watch(namespace: string, listener: () => void): () => void {
    return this.watchRecords(namespace, listener);
  }
}

function watchedStorage(open: () => Promise<Partial<RecordDatabase>>): WatchedStorage {
  return new WatchedStorage({ name: "The storage", open: async () => (await open()) as RecordDatabase });
}

describe("DatabaseStorage.watchRecords", () => {
  it("watches the database once while there is a listener, and not at all without one", async () => {
    const stopDatabase = vi.fn<() => void>();
    const watch = vi.fn<NonNullable<RecordDatabase["watch"]>>(() => stopDatabase);
    const storage = watchedStorage(async () => ({ watch, write: async () => {} }));
    await storage.set("ns", "k", 1);
    expect(watch).not.toHaveBeenCalled();

    const stops = ["ns", "ns", "other"].map((namespace) => storage.watch(namespace, () => {}));
    await vi.waitFor(() => expect(watch).toHaveBeenCalledOnce());
    stops[0]?.();
    stops[1]?.();
    expect(stopDatabase).not.toHaveBeenCalled();
    stops[2]?.();
    stops[2]?.();
    expect(stopDatabase).toHaveBeenCalledOnce();

    storage.watch("ns", () => {});
    await vi.waitFor(() => expect(watch).toHaveBeenCalledTimes(2));
  });

  it("stops what begins to watch only after its listener is gone", async () => {
    const watch = vi.fn<NonNullable<RecordDatabase["watch"]>>(() => () => {});
    const { promise, resolve } = Promise.withResolvers<Partial<RecordDatabase>>();
    const storage = watchedStorage(async () => await promise);
    storage.watch("ns", () => {})();
    resolve({ watch, read: async () => null });
    await storage.get("ns", "k");

    expect(watch).not.toHaveBeenCalled();
  });

  it("tells all listeners what the database tells, and its own writes to those of their namespace", async () => {
    let tell = () => {};
    const database: Partial<RecordDatabase> = {
      write: async () => {},
      watch: (onChange) => {
        tell = onChange;
        return () => {};
      },
    };
    const storage = watchedStorage(async () => database);
    const calls = { one: 0, other: 0 };
    storage.watch("one", () => (calls.one += 1));
    storage.watch("other", () => (calls.other += 1));
    await vi.waitFor(() => expect(calls).toEqual({ one: 1, other: 1 }));
    tell();
    await storage.set("other", "k", 1);
    tell();
    await vi.waitFor(() => expect(calls).toEqual({ one: 3, other: 4 }));
  });

  it("tries again to watch a database that could not be opened", async () => {
    vi.useFakeTimers();
    const watch = vi.fn<NonNullable<RecordDatabase["watch"]>>(() => () => {});
    const open = vi
      .fn<() => Promise<Partial<RecordDatabase>>>()
      .mockRejectedValueOnce(new Error("planned by the test"));
    open.mockResolvedValue({ watch });
    const stop = watchedStorage(open).watch("ns", () => {});
    await vi.advanceTimersByTimeAsync(999);
    expect(watch).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);

    expect(watch).toHaveBeenCalledOnce();
    stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ["before it has failed", 0],
    ["after it has failed", 10],
  ])("tries no more when the last listener goes %s", async (_when, ms) => {
    vi.useFakeTimers();
    const { promise, reject } = Promise.withResolvers<Partial<RecordDatabase>>();
    const open = vi.fn<() => Promise<Partial<RecordDatabase>>>(() => promise);
    const stop = watchedStorage(open).watch("ns", () => {});
    setTimeout(() => reject(new Error("planned by the test")), 5);
    await vi.advanceTimersByTimeAsync(ms);
    stop();
    await vi.advanceTimersByTimeAsync(10_000);

    expect(open).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("hears its own writes where the database cannot be watched", async () => {
    const storage = watchedStorage(async () => ({ swap: async () => true }));
    let calls = 0;
    storage.watch("ns", () => (calls += 1));
    await storage.compareAndSet("ns", "k", null, 1);
    await vi.waitFor(() => expect(calls).toBeGreaterThan(0));
    const before = calls;
    await storage.compareAndSet("ns", "k", null, 1);

    await vi.waitFor(() => expect(calls).toBe(before + 1));
  });
});
