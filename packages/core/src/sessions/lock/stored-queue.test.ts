import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { SharedStorage } from "../storage/test/shared-storage.ts";
import { LivenessTracker } from "./liveness.ts";
import type { QueueRecord } from "./queue-record.ts";
import { lockNamespace, StoredQueue } from "./stored-queue.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const leaseMs = 900;
const record: QueueRecord = {
  v: 1,
  token: 5,
  positions: [{ process: "other", waiter: 1 }],
  processes: [
    { process: "me", beat: 1, leaseMs },
    { process: "other", beat: 1, leaseMs },
    { process: "quick", beat: 1, leaseMs: 300 },
  ],
};

function queueOf() {
  const storage = new InMemoryStorage();
  const driver = new SharedStorage(storage);
  let last = 7;
  const liveness = new LivenessTracker();
  const context = { driver, process: "me", leaseMs, liveness, nextNumber: () => ++last };
  return { storage, driver, liveness, queue: new StoredQueue(context, "-/ada/s") };
}

describe("a stored queue that is read", () => {
  it("is none before it is there, and then its record", async () => {
    const { storage, queue } = queueOf();
    expect(await queue.read()).toEqual({ stored: null, expired: new Set() });
    await storage.set(lockNamespace, "-/ada/s", record);
    expect(await queue.read()).toEqual({ stored: record, expired: new Set() });
  });

  it("tells of the other processes that sent no heartbeat for as long as each promised", async () => {
    const { storage, queue, liveness } = queueOf();
    await storage.set("locks", "-/ada/s", record);
    await queue.read();
    expect(liveness.size).toBe(1);
    await vi.advanceTimersByTimeAsync(299);
    expect((await queue.read()).expired).toEqual(new Set());
    await vi.advanceTimersByTimeAsync(1);
    expect((await queue.read()).expired).toEqual(new Set(["quick"]));
    await vi.advanceTimersByTimeAsync(600);
    expect((await queue.read()).expired).toEqual(new Set(["other", "quick"]));
    await storage.delete("locks", "-/ada/s");
    await queue.read();
    expect(liveness.size).toBe(0);
  });

  it("counts no time in which the storage did not answer", async () => {
    const { storage, driver, queue } = queueOf();
    await storage.set("locks", "-/ada/s", record);
    driver.stop();
    const first = queue.read();
    await vi.advanceTimersByTimeAsync(800);
    driver.goOn();
    await first;
    await vi.advanceTimersByTimeAsync(899);
    driver.stop();
    const second = queue.read();
    await vi.advanceTimersByTimeAsync(500);
    driver.goOn();
    expect((await second).expired).toEqual(new Set(["quick"]));
  });

  it("is told by its place when it is damaged", async () => {
    const { storage, queue } = queueOf();
    await storage.set("locks", "-/ada/s", { v: 1 });
    await expect(queue.read()).rejects.toMatchObject({
      code: "storage_corrupt",
      fields: { namespace: "locks", key: "-/ada/s" },
    });
  });
});

describe("a stored queue that is replaced", () => {
  it("is written where it is as it was, and tells so", async () => {
    const { storage, queue } = queueOf();
    expect(await queue.replace(null, record)).toBe(true);
    expect(await queue.replace(null, { ...record, token: 6 })).toBe(false);
    expect(await storage.get("locks", "-/ada/s")).toEqual(record);
    expect(await queue.replace(record, null)).toBe(true);
    expect(await storage.get("locks", "-/ada/s")).toBeNull();
  });

  it("is a heartbeat from the time at which it was asked for, if it was written", async () => {
    const { driver, queue } = queueOf();
    driver.stop();
    const writing = queue.replace(null, record);
    await vi.advanceTimersByTimeAsync(100);
    driver.goOn();
    await writing;
    expect(queue.heartbeatDueInMs).toBe(200);
    await vi.advanceTimersByTimeAsync(250);
    expect(await queue.replace(null, record)).toBe(false);
    expect(queue.heartbeatDueInMs).toBe(-50);
    await queue.replace(record, { ...record, token: 6 });
    expect(queue.heartbeatDueInMs).toBe(300);
  });
});

describe("a storage that hangs", () => {
  it.each([
    ["read", (queue: StoredQueue) => queue.read()],
    ["replace", (queue: StoredQueue) => queue.replace(null, record)],
  ])("fails a %s after the time of a lease", async (_title, call) => {
    const { driver, queue } = queueOf();
    driver.stop();
    const outcome = vi.fn<(error: unknown) => void>();
    void call(queue).catch(outcome);
    await vi.advanceTimersByTimeAsync(leaseMs - 1);
    expect(outcome).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(outcome).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        code: "storage_unavailable",
        message: "The storage did not answer within 900 ms, when asked for the queue of a session.",
      }),
    );
  });
});

describe("the fencing token", () => {
  it("is confirmed as long as the record has it", async () => {
    const { storage, queue } = queueOf();
    const lost = {
      code: "conflict",
      message: "Another process took the session over, because this one sent no heartbeat in time. Try again.",
    };
    await expect(queue.confirm(5)).rejects.toMatchObject(lost);
    await storage.set("locks", "-/ada/s", record);
    await expect(queue.confirm(5)).resolves.toBeUndefined();
    for (const token of [4, 6]) await expect(queue.confirm(token)).rejects.toMatchObject(lost);
  });
});

it("a heartbeat differs from all earlier ones, and says how long it lasts", () => {
  const { queue } = queueOf();
  expect([queue.newHeartbeat(), queue.newHeartbeat()]).toEqual([
    { process: "me", leaseMs, beat: 8 },
    { process: "me", leaseMs, beat: 9 },
  ]);
});
