import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { JoinOptions } from "./busy-policy.ts";
import { appendUnder, enqueue, join, noteOrder, pass, reject, startProcesses, useFakeTime } from "./test/processes.ts";
import type { Process } from "./test/processes.ts";
import type { QueuePosition } from "./waiter.ts";

beforeEach(useFakeTime);

/** Options with which the n-th attempt at the one durable run of these tests joins. */
const attempt = (number: number, policy: JoinOptions = enqueue): JoinOptions => ({
  ...policy,
  run: { runId: "r", attempt: number },
});

/** Stops a process for good. The end of the test clears away what is left of it. */
function kill(process: Process, ...positions: QueuePosition[]): void {
  process.storage.stop();
  onTestFinished(async () => {
    for (const position of positions) position.leave();
    process.storage.goOn();
    await pass();
  });
}

describe("the next attempt at a durable run [run-log.place]", () => {
  it("has the lease of a process that died at once, before the runs that wait", async () => {
    const { processes } = startProcesses(3);
    const [dead, other, next] = processes as [Process, Process, Process];
    const first = join(dead, attempt(1));
    const lease = await first.granted;
    const waiting = join(other);
    await pass(100);
    kill(dead, first);

    const second = join(next, attempt(2));
    await pass(10);
    const taken = await second.granted;

    expect(taken).toMatchObject({ hadToWait: true });
    expect(taken.appendOptions.ifHeld?.token).toBeGreaterThan(lease.appendOptions.ifHeld?.token ?? Infinity);
    expect(noteOrder([waiting])).toEqual([]);
    second.leave();
    await pass();
    await waiting.granted;
  });

  it("has the place of one that waited in a process that died", async () => {
    const { processes } = startProcesses(3);
    const [one, dead, next] = processes as [Process, Process, Process];
    const holder = join(one);
    await holder.granted;
    const first = join(dead, attempt(1));
    await pass(300);
    const later = join(one);
    await pass(300);
    kill(dead, first);
    const second = join(next, attempt(2));
    await pass(300);
    const order = noteOrder([later, second]);
    holder.leave();
    await pass(2000);

    expect(order).toEqual([1, 0]);
  });

  it("leaves an attempt that goes on unable to write, and behind all others when it comes again", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const first = join(one, attempt(1));
    const lease = await first.granted;
    one.storage.stop();
    const second = join(other, attempt(2));
    await pass(100);
    expect(await appendUnder(await second.granted, other, "second")).toBe(1);
    one.storage.goOn();

    await expect(appendUnder(lease, one, "first")).rejects.toMatchObject({ code: "conflict" });
    await expect(lease.confirm()).rejects.toMatchObject({ code: "conflict" });
    first.leave();
    const again = join(one, attempt(1));
    const plain = join(other);
    await pass(500);
    expect(await appendUnder(await second.granted, other, "still")).toBe(2);
    const order = noteOrder([again, plain]);
    second.leave();
    await pass(2000);
    expect(order).toEqual([1, 0]);
  });

  it.each([
    ["onBusy: reject", reject],
    ["a full queue", { ...enqueue, maxWaiting: 0 }],
  ])("is not refused for its own place with %s, and other runs are", async (_name, policy) => {
    const { processes } = startProcesses(3);
    const [dead, next] = processes as [Process, Process];
    const first = join(dead, attempt(1, policy));
    await first.granted;
    kill(dead, first);

    await expect(join(next, policy).granted).rejects.toMatchObject({ code: "conflict" });
    const otherRun = { ...policy, run: { runId: "another", attempt: 2 } };
    await expect(join(next, otherRun).granted).rejects.toMatchObject({ code: "conflict" });
    const second = join(next, attempt(2, policy));
    await second.granted;
    await expect(join(next, policy).granted).rejects.toMatchObject({ code: "conflict" });
    second.leave();
    await pass();
  });

  it("takes the lease from one of its own process once the write of that has settled", async () => {
    const { processes } = startProcesses(1);
    const [one] = processes as [Process];
    const first = join(one, attempt(1));
    const lease = await first.granted;
    const { promise: written, resolve: settle } = Promise.withResolvers<void>();
    const write = lease.write(() => written);
    const waiting = join(one);
    const second = join(one, attempt(2, reject));
    const granted = vi.fn<() => void>();
    void second.granted.then(granted);
    await pass(500);

    expect(granted).not.toHaveBeenCalled();
    settle();
    await write;
    await pass(100);
    expect(granted).toHaveBeenCalledOnce();
    await expect(lease.write(async () => undefined)).rejects.toMatchObject({ code: "conflict" });
    first.leave();
    const order = noteOrder([waiting]);
    await pass(500);
    expect(order).toEqual([]);
    second.leave();
    await pass(500);
    expect(order).toEqual([0]);
    expect(one.queues.busyKeys).toBe(0);
  });

  it("has the place of one that waits in its own process, which comes last", async () => {
    const { processes } = startProcesses(1);
    const [one] = processes as [Process];
    const holder = join(one);
    const first = join(one, attempt(1));
    const plain = join(one);
    await pass(100);
    const second = join(one, attempt(2));
    const order = noteOrder([first, plain, second]);
    await pass(500);
    holder.leave();
    await pass(2000);

    expect(order).toEqual([2, 1, 0]);
  });

  it("comes before one of its own process that joined at the same moment", async () => {
    const { processes } = startProcesses(1);
    const [one] = processes as [Process];
    const positions = [join(one, attempt(1)), join(one), join(one, attempt(2))];
    const order = noteOrder(positions);
    await pass(2000);

    expect(order).toEqual([2, 1, 0]);
  });
});
