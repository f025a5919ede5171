import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { useTestFolder } from "../test/test-folder.ts";
import { SqliteStorage } from "./sqlite-storage.ts";

const newFile = useTestFolder();

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function open(file: string): SqliteStorage {
  const storage = new SqliteStorage(file, { durability: "normal" });
  onTestFinished(async () => await storage.close());
  return storage;
}

/** Watches a namespace, waits until the file is looked at, and returns the number of calls since. */
async function listen(storage: SqliteStorage): Promise<{ calls: () => number; stop: () => void }> {
  let calls = 0;
  const stop = storage.watch("ns", () => (calls += 1));
  await vi.waitFor(() => expect(calls).toBeGreaterThan(0));
  const before = calls;
  return { calls: () => calls - before, stop };
}

describe("SqliteStorage.watch", () => {
  it("hears each write of another instance on its file, also while it writes itself [storage.watch-processes]", async () => {
    const file = newFile();
    const [storage, other] = [open(file), open(file)];
    const { calls } = await listen(storage);
    for (let turn = 1; turn <= 5; turn++) {
      const before = calls();
      await storage.set("elsewhere", "k", turn);
      await other.insertAll([{ namespace: "ns", key: `k${turn}`, value: turn }]);
      await vi.waitFor(() => expect(calls()).toBeGreaterThan(before));
    }
  });

  it("calls back for no look that finds nothing", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { calls } = await listen(open(newFile()));
    vi.advanceTimersByTime(1000);
    await new Promise((resolve) => setImmediate(resolve));

    expect(calls()).toBe(0);
  });

  it("has one timer, which does not keep the process alive, while there are listeners, and none otherwise", async () => {
    const set = vi.spyOn(globalThis, "setInterval");
    const clear = vi.spyOn(globalThis, "clearInterval");
    const storage = open(newFile());
    await storage.set("ns", "k", 1);
    expect(set).not.toHaveBeenCalled();

    const listeners = [await listen(storage), { stop: storage.watch("other", () => {}) }];
    expect(set).toHaveBeenCalledOnce();
    const timer = set.mock.results[0]?.value as NodeJS.Timeout;
    expect(timer.hasRef()).toBe(false);
    listeners[0]?.stop();
    expect(clear).not.toHaveBeenCalled();
    listeners[1]?.stop();
    expect(clear).toHaveBeenCalledWith(timer);
  });

  it("has no timer after close", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const storage = open(newFile());
    await listen(storage);
    expect(vi.getTimerCount()).toBe(1);
    await storage.close();

    expect(vi.getTimerCount()).toBe(0);
  });

  it("has no timer for a database in memory, and hears its own writes", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const storage = open(":memory:");
    const { calls } = await listen(storage);
    await storage.append("ns", "s/", 1);
    await vi.waitFor(() => expect(calls()).toBe(1));

    expect(vi.getTimerCount()).toBe(0);
  });
});
