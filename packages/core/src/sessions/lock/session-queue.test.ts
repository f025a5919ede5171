import { beforeEach, describe, expect, it } from "vitest";
import type { QueuePosition } from "./waiter.ts";
import { createSharedQueues } from "./session-queues.ts";
import { reject, join, noteOrder, pass, enqueue, startProcesses, useFakeTime } from "./test/processes.ts";
import type { Process } from "./test/processes.ts";

beforeEach(useFakeTime);

describe("SessionQueue", () => {
  it("grants a free lease with one read and one write, and gives it back with one write", async () => {
    const { processes, readQueue } = startProcesses(1);
    const [one] = processes as [Process];
    const position = join(one);
    await position.known;
    expect(one.storage.calls).toEqual(["get", "compareAndSet"]);

    expect(await position.granted).toMatchObject({ hadToWait: false });
    await pass();
    position.leave();
    expect(one.storage.calls).toEqual(["get", "compareAndSet", "compareAndSet"]);
    await pass();

    expect(await readQueue()).toMatchObject({ positions: [], processes: [] });
    expect(one.queues.busyKeys).toBe(0);
  });

  it("grants the lease in the order in which runs joined, across processes", async () => {
    const { processes } = startProcesses(3);
    const positions: QueuePosition[] = [];
    for (const number of [0, 1, 2, 0, 0, 2, 1, 0, 1, 2]) {
      positions.push(join(processes[number] as Process));
      await pass(1);
    }
    const order = noteOrder(positions);
    await pass(5000);

    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(processes.map(({ queues }) => queues.busyKeys)).toEqual([0, 0, 0]);
  });

  it("passes the lease on within one process with one write", async () => {
    const { processes } = startProcesses(1);
    const [one] = processes as [Process];
    const first = join(one);
    await first.granted;
    const second = join(one);
    await pass(0);
    one.storage.calls.length = 0;

    first.leave();

    expect(await second.granted).toMatchObject({ hadToWait: true });
    expect(one.storage.calls).toEqual(["compareAndSet"]);
    second.leave();
    await pass();
  });

  it("grants leases on different sessions at the same time", async () => {
    const { processes } = startProcesses(2);
    const positions = processes.map(({ queues }, number) => queues.join(`-/-/${number}`, reject));

    expect(await Promise.all(positions.map(({ granted }) => granted))).toHaveLength(2);
    for (const position of positions) position.leave();
    await pass();
  });

  it("polls less often the longer it waits, and often again when the queue moves", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const positions = [join(one)];
    await pass(0);
    positions.push(join(one), join(other));
    await pass(10_000);
    other.storage.calls.length = 0;
    await pass(10_000);
    expect(other.storage.calls.length).toBeLessThan(70);

    other.storage.calls.length = 0;
    positions[0]?.leave();
    await pass(400);
    expect(other.storage.calls.length).toBeGreaterThan(5);

    for (const position of positions) position.leave();
    await pass();
  });
});

describe("a run that joins while another process holds the lease", () => {
  it("is refused at once with onBusy reject", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const first = join(one);
    await first.granted;

    await expect(join(other, reject).granted).rejects.toMatchObject({ code: "conflict" });
    first.leave();
    await pass();
    expect(other.queues.busyKeys).toBe(0);
  });

  it("is refused when maxWaiting runs of all processes wait already", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const positions: QueuePosition[] = [];
    for (let number = 0; number < 11; number++) {
      positions.push(join(number % 2 === 0 ? one : other, { ...enqueue, maxWaiting: 10 }));
      await pass(1);
    }

    for (const process of processes) {
      await expect(join(process, { ...enqueue, maxWaiting: 10 }).granted).rejects.toMatchObject({ code: "conflict" });
    }
    const order = noteOrder(positions);
    await pass(5000);
    expect(order).toHaveLength(11);
  });

  it("is refused after waitMs, and later waiters move up", async () => {
    const { processes, readQueue } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const first = join(one);
    await first.granted;
    const short = join(other, { ...enqueue, waitMs: 500 });
    await pass(1);
    const next = join(other);
    await pass(500);

    await expect(short.granted).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("500") });
    expect((await readQueue())?.positions).toHaveLength(2);
    first.leave();
    await pass();
    await next.granted;
    next.leave();
    await pass();
  });

  it("is cancelled at once when its signal aborts, and leaves the stored queue", async () => {
    const { processes, readQueue } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const first = join(one);
    await first.granted;
    const abort = new AbortController();
    const second = join(other, { ...enqueue, signal: abort.signal });
    await pass();
    abort.abort();

    await expect(second.granted).rejects.toMatchObject({ code: "cancelled" });
    await pass();
    expect((await readQueue())?.positions).toHaveLength(1);
    first.leave();
    await pass();
  });

  it("is in no stored queue when its signal aborts while it takes the lease", async () => {
    const { processes, readQueue } = startProcesses(1);
    const [one] = processes as [Process];
    const abort = new AbortController();
    one.storage.stop();
    const position = join(one, { ...enqueue, signal: abort.signal });
    abort.abort();
    await expect(position.granted).rejects.toMatchObject({ code: "cancelled" });
    await position.known;
    one.storage.goOn();
    await pass();

    expect((await readQueue())?.positions ?? []).toEqual([]);
    expect(one.queues.busyKeys).toBe(0);
  });
});

it("SessionQueue has a lease of ten seconds by default", async () => {
  const { processes, readQueue } = startProcesses(1);
  const [one] = processes as [Process];
  const position = createSharedQueues(one.storage).join("-/-/s", enqueue);
  await position.granted;

  expect(await readQueue()).toMatchObject({ processes: [{ leaseMs: 10_000 }] });
  position.leave();
  await pass();
});
