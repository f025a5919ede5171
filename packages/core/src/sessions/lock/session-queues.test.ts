import { describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { MapStorage } from "../storage/test/map-storage.ts";
import { SharedStorage } from "../storage/test/shared-storage.ts";
import type { BusyPolicy, JoinOptions } from "./busy-policy.ts";
import type { QueueRecord } from "./queue-record.ts";
import {
  clockOf,
  createLocalQueues,
  createSharedQueues,
  KeyedQueues,
  recordQueuesOf,
  sessionQueuesOf,
} from "./session-queues.ts";

const policy: BusyPolicy = { onBusy: "enqueue", maxWaiting: 1, waitMs: 60_000 };

describe("queues by key", () => {
  /** Queues that only note what they are asked. */
  function noted() {
    const empty = new Map<string, () => void>();
    const asked: unknown[] = [];
    const queues = new KeyedQueues((key, onEmpty) => {
      empty.set(key, onEmpty);
      const position = { known: Promise.resolve(), granted: new Promise<never>(() => {}), leave: () => {} };
      return {
        lengthFor: (options: JoinOptions) => (asked.push(["length", key, options]), 1),
        join: (options: JoinOptions) => (asked.push(["join", key, options]), position),
      };
    });
    return { queues, empty, asked };
  }

  it("are made once for each key, and dropped when they are empty", () => {
    const { queues, empty, asked } = noted();
    queues.join("a", policy);
    queues.join("a", policy);
    queues.join("b", policy);
    expect(queues.busyKeys).toBe(2);
    expect(asked).toEqual([
      ["join", "a", policy],
      ["length", "a", policy],
      ["join", "a", policy],
      ["join", "b", policy],
    ]);
    empty.get("a")?.();
    expect(queues.busyKeys).toBe(1);
    queues.join("a", policy);
    expect(asked.at(-1)).toEqual(["join", "a", policy]);
    expect(asked).toHaveLength(5);
  });

  it.each([
    [{ ...policy, onBusy: "reject" as const }, "conflict"],
    [{ ...policy, maxWaiting: 0 }, "conflict"],
    [{ ...policy, signal: AbortSignal.abort() }, "cancelled"],
  ])("refuse a run at a busy key by %j as %s, without a place", async (options, code) => {
    const { queues, asked } = noted();
    queues.join("a", policy);
    const position = queues.join("a", options);
    await expect(position.known).resolves.toBeUndefined();
    await expect(position.granted).rejects.toMatchObject({ code });
    position.leave();
    expect(asked.filter((call) => Array.isArray(call) && call[0] === "join")).toHaveLength(1);
    expect(queues.busyKeys).toBe(1);
  });

  it("make no queue for a run that is refused at a free key", async () => {
    const { queues, asked } = noted();
    const position = queues.join("a", { ...policy, signal: AbortSignal.abort() });
    await expect(position.granted).rejects.toMatchObject({ code: "cancelled" });
    expect([asked, queues.busyKeys]).toEqual([[], 0]);
  });
});

describe("the queues of a storage", () => {
  it.each([
    ["in memory", () => new InMemoryStorage(), true],
    ["without append and compareAndSet", () => new MapStorage(), true],
    ["that processes share", () => new SharedStorage(new InMemoryStorage()), false],
  ])("%s are the same each time, and those of sessions are of this process alone: %s", (_title, create, isLocal) => {
    const [driver, other] = [create(), create()];
    expect(recordQueuesOf(driver)).toBe(recordQueuesOf(driver));
    expect(sessionQueuesOf(driver)).toBe(sessionQueuesOf(driver));
    expect(clockOf(driver)).toBe(clockOf(driver));
    expect(sessionQueuesOf(driver) === recordQueuesOf(driver)).toBe(isLocal);
    expect(recordQueuesOf(other)).not.toBe(recordQueuesOf(driver));
    expect(sessionQueuesOf(other)).not.toBe(sessionQueuesOf(driver));
    expect(clockOf(other)).not.toBe(clockOf(driver));
  });

  it("the queues of a storage in this process leave nothing in the storage, and let one run after the other", async () => {
    const queues = createLocalQueues();
    const [one, two] = [queues.join("a", policy), queues.join("a", policy)];
    const granted = vi.fn<() => void>();
    void two.granted.then(granted);
    await one.granted;
    await Promise.resolve();
    expect(granted).not.toHaveBeenCalled();
    one.leave();
    expect((await two.granted).hadToWait).toBe(true);
    two.leave();
    expect(queues.busyKeys).toBe(0);
  });

  it("the queues of a storage that processes share name their process and its lease, with numbers that come once", async () => {
    const storage = new InMemoryStorage();
    const [one, other] = [
      createSharedQueues(new SharedStorage(storage), 700),
      createSharedQueues(new SharedStorage(storage)),
    ];
    const positions = [one.join("a", policy), one.join("b", policy), other.join("c", policy)];
    await Promise.all(positions.map(({ granted }) => granted));
    const records = (await storage.list("locks")).map(({ value }) => value as QueueRecord);
    const processes = records.flatMap((record) => record.processes);
    expect(processes.map(({ leaseMs }) => leaseMs)).toEqual([700, 700, 10_000]);
    const [first, second, third] = processes.map(({ process }) => process);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
    const numbers = [
      ...records.slice(0, 2).flatMap((record) => record.positions.map(({ waiter }) => waiter)),
      ...processes.slice(0, 2).map(({ beat }) => beat),
    ];
    expect(new Set(numbers).size).toBe(4);
    for (const position of positions) position.leave();
    await vi.waitFor(() => expect([one.busyKeys, other.busyKeys]).toEqual([0, 0]));
  });
});
