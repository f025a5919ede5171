import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { SqliteStorage } from "./sqlite-storage.ts";

const newFile = useTestFolder();

/** A storage in use, and another connection with an open write transaction on its file. */
async function whileOtherWrites(busyTimeoutMs?: number): Promise<{ storage: SqliteStorage; other: DatabaseSync }> {
  const file = newFile();
  const storage = new SqliteStorage(file, busyTimeoutMs === undefined ? {} : { busyTimeoutMs });
  await storage.set("ns", "k", "old");
  const other = new DatabaseSync(file);
  other.exec("begin immediate");
  vi.useFakeTimers();
  return { storage, other };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("SqliteStorage while another process writes", () => {
  it("waits with its writes without blocking this process", async () => {
    const { storage, other } = await whileOtherWrites();
    const writes = Promise.all([
      storage.set("ns", "k", "new"),
      storage.append("ns", "s/", 1),
      storage.compareAndSet("ns", "c", null, 1),
      storage.transaction([{ namespace: "ns", key: "t", value: 1 }]),
    ]);
    await vi.advanceTimersByTimeAsync(4900);
    other.exec("rollback");
    await vi.advanceTimersByTimeAsync(50);

    await expect(writes).resolves.toEqual([undefined, { key: "s/000000000001", seq: 1 }, true, undefined]);
    expect(await storage.list("ns")).toHaveLength(4);
    await storage.close();
    other.close();
  });

  it("reads the last committed state", async () => {
    const { storage, other } = await whileOtherWrites();
    other.exec("delete from troupe_records");

    expect(await storage.get("ns", "k")).toBe("old");
    await expect(storage.ping()).resolves.toBeUndefined();
    other.close();
    await storage.close();
  });

  it.each([5000, 100])("fails a write after %i ms", async (busyTimeoutMs) => {
    const { storage, other } = await whileOtherWrites(busyTimeoutMs);
    const failures = [storage.set("ns", "k", "new"), storage.append("ns", "s/", 1)].map(
      async (write) =>
        await write.then(
          () => "written",
          (error: unknown) => error,
        ),
    );
    await vi.advanceTimersByTimeAsync(busyTimeoutMs - 50);
    expect(await isSettled(failures)).toBe(false);
    await vi.advanceTimersByTimeAsync(100);

    for (const failure of await Promise.all(failures)) {
      expect(failure).toMatchObject({
        code: "storage_unavailable",
        message: expect.stringContaining("was busy for too long"),
      });
    }
    other.exec("rollback");
    expect(await storage.get("ns", "k")).toBe("old");
    await storage.close();
    other.close();
  });

  it("closes after its waiting writes", async () => {
    const { storage, other } = await whileOtherWrites();
    const write = storage.set("ns", "k", "new");
    const closed = storage.close();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await isSettled([closed])).toBe(false);
    other.exec("commit");
    await vi.advanceTimersByTimeAsync(50);

    await expect(Promise.all([write, closed])).resolves.toBeDefined();
    expect(other.prepare("select value from troupe_records").get()).toEqual({ value: '"new"' });
    other.close();
  });

  it("waits with its first call", async () => {
    const { storage, other } = await whileOtherWrites();
    const late = new SqliteStorage(String(other.location()), { table: "late" });
    const first = late.set("ns", "k", 1);
    // Loading modules does not depend on the fake timers.
    await vi.dynamicImportSettled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await isSettled([first])).toBe(false);
    other.exec("rollback");
    await vi.advanceTimersByTimeAsync(50);

    await expect(first).resolves.toBeUndefined();
    await Promise.all([storage.close(), late.close()]);
    other.close();
  });
});

async function isSettled(promises: readonly Promise<unknown>[]): Promise<boolean> {
  const settled = promises.map(async (each) => await each.then(() => true));
  return await Promise.race([...settled, Promise.resolve(false)]);
}
