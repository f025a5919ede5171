import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLocalQueues, recordQueuesOf, sessionQueuesOf } from "./session-queues.ts";
import type { BusyPolicy } from "./busy-policy.ts";
import type { QueuePosition } from "./waiter.ts";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { SharedStorage } from "../storage/test/shared-storage.ts";
import { MapStorage } from "../storage/test/map-storage.ts";

const policy: BusyPolicy = { onBusy: "enqueue", maxWaiting: 10, waitMs: 60_000 };

describe("LocalQueue", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    const timers = vi.getTimerCount();
    vi.useRealTimers();
    if (timers > 0) throw new Error(`${timers} timers were left behind.`);
  });

  it("grants a free lease at once, for each key by itself", async () => {
    const queues = createLocalQueues();

    const one = queues.join("one", policy);
    const other = queues.join("other", policy);

    expect(await Promise.all([one.granted, other.granted])).toMatchObject([{ hadToWait: false }, { hadToWait: false }]);
  });

  it("grants the lease in the order in which runs joined", async () => {
    const queues = createLocalQueues();
    const order: number[] = [];
    const positions = [0, 1, 2, 3].map((number) => {
      const position = queues.join("key", policy);
      void position.granted.then(() => order.push(number));
      return position;
    });

    await vi.advanceTimersByTimeAsync(1);
    expect(order).toEqual([0]);
    for (const position of positions) {
      position.leave();
      await vi.advanceTimersByTimeAsync(1);
    }

    expect(order).toEqual([0, 1, 2, 3]);
  });

  it("is dropped when it is empty", () => {
    const queues = createLocalQueues();
    const positions = [queues.join("key", policy), queues.join("key", policy), queues.join("other", policy)];
    expect(queues.busyKeys).toBe(2);

    for (const position of positions) position.leave();

    expect(queues.busyKeys).toBe(0);
  });

  it("passes the lease on once, however often its holder leaves", async () => {
    const queues = createLocalQueues();
    const [first, second, third] = [queues.join("key", policy), queues.join("key", policy), queues.join("key", policy)];
    const granted = vi.fn<() => void>();
    void third.granted.then(granted, () => {});

    first.leave();
    first.leave();
    await second.granted;
    await vi.advanceTimersByTimeAsync(1);

    expect(granted).not.toHaveBeenCalled();
    second.leave();
    third.leave();
  });

  it("gives a later attempt at a durable run the place of an earlier one that waits [run-log.place]", async () => {
    const queues = createLocalQueues();
    const attempt = (number: number) => ({ ...policy, maxWaiting: 2, run: { runId: "r", attempt: number } });
    const order: string[] = [];
    const note = async (name: string, position: QueuePosition) => {
      await position.granted;
      order.push(name);
      position.leave();
    };
    const holder = queues.join("key", policy);
    const names = ["first", "plain", "second"];
    const joined = [attempt(1), policy, attempt(2)].map((options) => queues.join("key", options));
    const ends = joined.map((position, index) => note(names[index] ?? "", position));
    await expect(queues.join("key", attempt(1)).granted).rejects.toMatchObject({ code: "conflict" });
    holder.leave();
    await Promise.all(ends);

    expect(order).toEqual(["second", "first", "plain"]);
  });

  it("takes the lease from an earlier attempt once its write has settled, and lets it write nothing more [run-log.place]", async () => {
    const queues = createLocalQueues();
    const attempt = (number: number) => ({
      ...policy,
      onBusy: "reject" as const,
      run: { runId: "r", attempt: number },
    });
    const first = await queues.join("key", attempt(1)).granted;
    const waiting = queues.join("key", policy);
    const { promise: written, resolve: settle } = Promise.withResolvers<void>();
    const write = first.write(() => written);
    const second = queues.join("key", attempt(2));
    const granted = vi.fn<() => void>();
    void second.granted.then(granted);
    await vi.advanceTimersByTimeAsync(100);
    expect(granted).not.toHaveBeenCalled();

    settle();
    await write;
    expect(await second.granted).toMatchObject({ hadToWait: true });
    await expect(first.write(async () => undefined)).rejects.toMatchObject({ code: "conflict" });
    await expect(first.confirm()).rejects.toMatchObject({ code: "conflict" });
    first.release();
    second.leave();
    await waiting.granted;
    waiting.leave();
    expect(queues.busyKeys).toBe(0);
  });

  it("refuses a run when maxWaiting runs wait already", async () => {
    const queues = createLocalQueues();
    const positions = Array.from({ length: 11 }, () => queues.join("key", policy));

    await expect(queues.join("key", policy).granted).rejects.toMatchObject({ code: "conflict" });
    for (const position of positions) {
      await position.granted;
      position.leave();
    }

    expect(queues.busyKeys).toBe(0);
  });

  it("refuses a run with onBusy reject while the lease is held", async () => {
    const queues = createLocalQueues();
    const first = queues.join("key", { ...policy, onBusy: "reject" });

    await expect(queues.join("key", { ...policy, onBusy: "reject" }).granted).rejects.toMatchObject({
      code: "conflict",
    });
    first.leave();
    expect(await queues.join("key", { ...policy, onBusy: "reject" }).granted).toMatchObject({ hadToWait: false });
  });

  it("refuses a run after waitMs, and later waiters move up", async () => {
    const queues = createLocalQueues();
    const first = queues.join("key", policy);
    const second = queues.join("key", policy);
    await vi.advanceTimersByTimeAsync(30_000);
    const third = queues.join("key", policy);

    await vi.advanceTimersByTimeAsync(29_999);
    first.leave();
    await second.granted;
    await vi.advanceTimersByTimeAsync(30_001);

    await expect(third.granted).rejects.toMatchObject({ code: "conflict" });
    second.leave();
    expect(queues.busyKeys).toBe(0);
  });

  it("cancels a waiter at once when its signal aborts, and removes its listener", async () => {
    const queues = createLocalQueues();
    const first = queues.join("key", policy);
    const abort = new AbortController();
    const removed = vi.spyOn(abort.signal, "removeEventListener");
    const second = queues.join("key", { ...policy, signal: abort.signal });
    const third = queues.join("key", policy);

    abort.abort();

    await expect(second.granted).rejects.toMatchObject({ code: "cancelled" });
    expect(removed).toHaveBeenCalledOnce();
    first.leave();
    await third.granted;
    third.leave();
  });

  it("takes no position for a run whose signal has aborted", async () => {
    const queues = createLocalQueues();

    await expect(queues.join("key", { ...policy, signal: AbortSignal.abort() }).granted).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(queues.busyKeys).toBe(0);
  });

  it("keeps the lease of a run whose signal aborts later", async () => {
    const queues = createLocalQueues();
    const abort = new AbortController();
    const first = queues.join("key", policy);
    const second = queues.join("key", { ...policy, signal: abort.signal });
    first.leave();
    await second.granted;

    abort.abort();

    await expect(queues.join("key", { ...policy, onBusy: "reject" }).granted).rejects.toMatchObject({
      code: "conflict",
    });
    second.leave();
  });
});

describe("the queues of a storage driver", () => {
  it("are the same for all stores over it", () => {
    const driver = new MapStorage();

    expect(recordQueuesOf(driver)).toBe(recordQueuesOf(driver));
    expect(recordQueuesOf(driver)).not.toBe(recordQueuesOf(new MapStorage()));
  });

  it("are local where the driver cannot keep processes apart, and for storage in memory", () => {
    for (const driver of [new MapStorage(), new InMemoryStorage()]) {
      expect(sessionQueuesOf(driver)).toBe(recordQueuesOf(driver));
    }
    const shared = new SharedStorage(new InMemoryStorage());
    expect(sessionQueuesOf(shared)).not.toBe(recordQueuesOf(shared));
  });
});
