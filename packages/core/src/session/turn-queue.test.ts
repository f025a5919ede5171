import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { turnQueueOf } from "./turn-queue-of.ts";
import { TurnQueue } from "./turn-queue.ts";
import type { BusyPolicy } from "./turn-queue.ts";
import { MapStorage } from "./test/map-storage.ts";

const policy: BusyPolicy = { onBusy: "enqueue", maxWaiting: 10, waitMs: 60_000 };

describe("TurnQueue", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    const timers = vi.getTimerCount();
    vi.useRealTimers();
    if (timers > 0) throw new Error(`${timers} timers were left behind.`);
  });

  it("gives the turn at once when nobody has it, and to each key by itself", async () => {
    const queue = new TurnQueue();

    const one = queue.join("one", policy);
    const other = queue.join("other", policy);

    expect(await Promise.all([one.granted, other.granted])).toEqual([{ hadToWait: false }, { hadToWait: false }]);
  });

  it("gives the turn to one after the other in the order in which they came", async () => {
    const queue = new TurnQueue();
    const order: number[] = [];
    const places = [0, 1, 2, 3].map((number) => {
      const place = queue.join("key", policy);
      void place.granted.then(() => order.push(number));
      return place;
    });

    await vi.advanceTimersByTimeAsync(1);
    expect(order).toEqual([0]);
    for (const place of places) {
      place.leave();
      await vi.advanceTimersByTimeAsync(1);
    }

    expect(order).toEqual([0, 1, 2, 3]);
  });

  it("forgets a line that is empty", () => {
    const queue = new TurnQueue();
    const places = [queue.join("key", policy), queue.join("key", policy), queue.join("other", policy)];
    expect(queue.busySessions).toBe(2);

    for (const place of places) place.leave();

    expect(queue.busySessions).toBe(0);
  });

  it("ends a turn once, however often it is left", async () => {
    const queue = new TurnQueue();
    const [first, second, third] = [queue.join("key", policy), queue.join("key", policy), queue.join("key", policy)];
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

  it("refuses the one who finds as many waiting as may wait", async () => {
    const queue = new TurnQueue();
    const places = Array.from({ length: 11 }, () => queue.join("key", policy));

    await expect(queue.join("key", policy).granted).rejects.toMatchObject({ code: "conflict" });
    for (const place of places) {
      await place.granted;
      place.leave();
    }

    expect(queue.busySessions).toBe(0);
  });

  it("refuses whoever does not want to wait", async () => {
    const queue = new TurnQueue();
    const first = queue.join("key", { ...policy, onBusy: "reject" });

    await expect(queue.join("key", { ...policy, onBusy: "reject" }).granted).rejects.toMatchObject({
      code: "conflict",
    });
    first.leave();
    expect(await queue.join("key", { ...policy, onBusy: "reject" }).granted).toEqual({ hadToWait: false });
  });

  it("refuses the one whose time is over, and those behind move up", async () => {
    const queue = new TurnQueue();
    const first = queue.join("key", policy);
    const second = queue.join("key", policy);
    await vi.advanceTimersByTimeAsync(30_000);
    const third = queue.join("key", policy);

    await vi.advanceTimersByTimeAsync(29_999);
    first.leave();
    await second.granted;
    await vi.advanceTimersByTimeAsync(30_001);

    await expect(third.granted).rejects.toMatchObject({ code: "conflict" });
    second.leave();
    expect(queue.busySessions).toBe(0);
  });

  it("lets go at once whoever's signal aborts, and forgets their listener", async () => {
    const queue = new TurnQueue();
    const first = queue.join("key", policy);
    const abort = new AbortController();
    const removed = vi.spyOn(abort.signal, "removeEventListener");
    const second = queue.join("key", { ...policy, signal: abort.signal });
    const third = queue.join("key", policy);

    abort.abort();

    await expect(second.granted).rejects.toMatchObject({ code: "cancelled" });
    expect(removed).toHaveBeenCalledOnce();
    first.leave();
    await third.granted;
    third.leave();
  });

  it("takes no place for someone whose signal has aborted", async () => {
    const queue = new TurnQueue();

    await expect(queue.join("key", { ...policy, signal: AbortSignal.abort() }).granted).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(queue.busySessions).toBe(0);
  });

  it("keeps the turn of one whose signal aborts later", async () => {
    const queue = new TurnQueue();
    const abort = new AbortController();
    const first = queue.join("key", policy);
    const second = queue.join("key", { ...policy, signal: abort.signal });
    first.leave();
    await second.granted;

    abort.abort();

    await expect(queue.join("key", { ...policy, onBusy: "reject" }).granted).rejects.toMatchObject({
      code: "conflict",
    });
    second.leave();
  });
});

describe("turnQueueOf", () => {
  it("is one for each driver", () => {
    const driver = new MapStorage();

    expect(turnQueueOf(driver)).toBe(turnQueueOf(driver));
    expect(turnQueueOf(driver)).not.toBe(turnQueueOf(new MapStorage()));
  });
});
