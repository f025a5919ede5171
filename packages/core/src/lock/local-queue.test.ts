import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createLocalQueues, recordQueuesOf, sessionQueuesOf } from "./session-queues.ts";
import type { BusyPolicy } from "./busy-policy.ts";
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
