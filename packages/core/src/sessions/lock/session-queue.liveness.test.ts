import { beforeEach, describe, expect, it } from "vitest";
import { InMemoryStorage } from "../storage/in-memory-storage.ts";
import { OneProcessStorage } from "../storage/test/one-process-storage.ts";
import { LivenessTracker } from "./liveness.ts";
import { createSharedQueues } from "./session-queues.ts";
import { SessionQueue } from "./session-queue.ts";
import { enqueue, join, leaseMs, noteOrder, pass, reject, startProcesses, useFakeTime } from "./test/processes.ts";
import type { Process } from "./test/processes.ts";

beforeEach(useFakeTime);

/** Creates the queue of one more process. */
function createQueue({ storage }: Process) {
  const liveness = new LivenessTracker();
  let lastNumber = 0;
  const context = { driver: storage, process: "own", leaseMs, liveness, nextNumber: () => ++lastNumber };
  const seen = { isEmpty: false };
  return { liveness, seen, queue: new SessionQueue(context, "-/-/s", () => void (seen.isEmpty = true)) };
}

describe("the heartbeats that a SessionQueue has observed", () => {
  it("are forgotten once it has had the lease", async () => {
    const { processes } = startProcesses(1);
    const [other] = processes as [Process];
    const { queue, liveness, seen } = createQueue(other);
    const [before, position] = [join(other), queue.join(enqueue)];
    await pass();
    expect(liveness.size).toBe(1);
    before.leave();
    const behind = join(other);
    await pass();
    position.leave();
    await pass();

    expect(liveness.size).toBe(0);
    expect(seen.isEmpty).toBe(true);
    behind.leave();
    await pass();
  });

  it("are kept for the next run when all runs were refused", async () => {
    const { processes } = startProcesses(1);
    const [other] = processes as [Process];
    const { queue, liveness, seen } = createQueue(other);
    const before = join(other);
    await pass();
    await expect(queue.join(reject).granted).rejects.toMatchObject({ code: "conflict" });
    await pass();

    expect(liveness.size).toBe(1);
    expect(seen.isEmpty).toBe(true);
    before.leave();
    await pass();
  });
});

describe("a SessionQueue over a storage that serves one process", () => {
  const startTwo = () => {
    const storage = new InMemoryStorage();
    const start = (): Process => {
      const own = new OneProcessStorage(storage);
      return { storage: own, queues: createSharedQueues(own, leaseMs) };
    };
    return [start(), start()] as const;
  };

  it("refuses to wait for a process that is alive, says why, and leaves the lease to it", async () => {
    const [one, other] = startTwo();
    const held = join(one);
    await pass();
    const waiting = join(other);
    await pass(leaseMs / 2);

    await expect(waiting.granted).rejects.toMatchObject({
      code: "invalid_config",
      message: "Another process uses this session at the same time. It serves one process. Use another storage.",
    });
    await expect((await held.granted).write(async () => 1)).resolves.toBe(1);
    held.leave();
    await pass();
  });

  it("waits for the lease of a process that ended, and appends without a fencing token", async () => {
    const [one, other] = startTwo();
    const lost = join(one);
    await lost.granted;
    one.storage.stop();
    const waiting = join(other);
    await pass(leaseMs + 1000);
    const lease = await waiting.granted;

    expect(lease.appendOptions).toEqual({});
    expect((await other.storage.append("turns", "-/-/s/", 1, lease.appendOptions)).seq).toBe(1);
    waiting.leave();
    one.storage.goOn();
    lost.leave();
    await pass();
  });

  it("grants the lease to one run of this process after the other", async () => {
    const [one] = startTwo();
    const positions = [join(one), join(one), join(one)];
    const order = noteOrder(positions);
    await pass();

    expect(order).toEqual([0, 1, 2]);
  });
});
