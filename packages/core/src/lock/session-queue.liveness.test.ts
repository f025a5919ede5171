import { beforeEach, describe, expect, it } from "vitest";
import { LivenessTracker } from "./liveness.ts";
import { SessionQueue } from "./session-queue.ts";
import { enqueue, join, leaseMs, pass, reject, startProcesses, useFakeTime } from "./test/processes.ts";
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
