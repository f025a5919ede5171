import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  appendUnder,
  reject,
  join,
  leaseMs,
  noteOrder,
  pass,
  enqueue,
  startProcesses,
  useFakeTime,
} from "./test/processes.ts";
import type { Process } from "./test/processes.ts";

beforeEach(useFakeTime);

/** Takes the lease and dies. The end of the test clears away what is left of it. */
async function takeAndDie(process: Process): Promise<void> {
  const position = join(process);
  await position.granted;
  process.storage.stop();
  onTestFinished(async () => {
    position.leave();
    process.storage.goOn();
    await pass();
  });
}

describe("a process that holds the lease", () => {
  it("keeps it as long as it sends heartbeats, and then leaves no timer", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const position = join(one);
    const lease = await position.granted;
    const next = join(other, { ...enqueue, waitMs: 10 * leaseMs });
    await pass(5 * leaseMs);

    expect(await appendUnder(lease, one, "late")).toBe(1);
    await expect(lease.confirm()).resolves.toBeUndefined();
    position.leave();
    await pass();
    await next.granted;
    next.leave();
    await pass();
  });

  it("may end while it holds the lease: no heartbeat to come keeps it alive", async () => {
    const { processes } = startProcesses(1);
    const [one] = processes as [Process];
    const position = join(one);
    await position.granted;
    // No spy: restored again by another file, it would put the fake timers back.
    const { setTimeout: fake } = globalThis;
    const made: NodeJS.Timeout[] = [];
    const noting = (...args: Parameters<typeof fake>): NodeJS.Timeout => {
      const timer = fake(...args);
      made.push(timer);
      return timer;
    };
    Object.assign(globalThis, { setTimeout: noting });
    await pass(2 * leaseMs);
    Object.assign(globalThis, { setTimeout: fake });

    expect(made.length).toBeGreaterThan(2);
    expect(made.filter((timer) => timer.hasRef())).toEqual([]);
    position.leave();
    await pass();
  });

  it("loses it to the next process when it is stopped, and cannot write when it goes on", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const position = join(one);
    const lease = await position.granted;
    one.storage.stop();
    const next = join(other);
    const late = appendUnder(lease, one, "late").catch((error: unknown) => error);
    await pass(leaseMs + 1000);

    expect(await appendUnder(await next.granted, other, "in time")).toBe(1);
    one.storage.goOn();

    expect(await late).toMatchObject({ code: "conflict" });
    await expect(lease.confirm()).rejects.toMatchObject({ code: "conflict" });
    await pass();
    next.leave();
    await pass();
    await expect(appendUnder(lease, one, "still")).rejects.toMatchObject({ code: "conflict" });
    position.leave();
    await pass();
    expect(one.queues.busyKeys).toBe(0);
  });

  it("has hadToWait when another process held the lease between its read and its write", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    one.storage.stopAt("compareAndSet");
    const position = join(one);
    await position.known;
    const between = join(other);
    await between.granted;
    between.leave();
    await pass();
    one.storage.goOn();

    expect(await position.granted).toMatchObject({ hadToWait: true });
    position.leave();
    await pass();
  });

  it("keeps it when it was stopped for less than leaseMs", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const position = join(one);
    const lease = await position.granted;
    await pass(leaseMs / 3 - 1);
    one.storage.stop();
    const next = join(other);
    await pass(leaseMs - 1000);
    one.storage.goOn();
    await pass(leaseMs - 1000);

    expect(await appendUnder(lease, one, "mine")).toBe(1);
    position.leave();
    await pass();
    await next.granted;
    next.leave();
    await pass();
  });

  it("cannot write once it has given it back, even if no other run has taken it since", async () => {
    const { processes } = startProcesses(1);
    const [one] = processes as [Process];
    const position = join(one);
    const lease = await position.granted;
    position.leave();
    await pass();

    await expect(appendUnder(lease, one, "late")).rejects.toMatchObject({ code: "conflict" });
  });

  it("never gets its fencing token again, even if the stored queue was deleted with the session", async () => {
    const { processes, readQueue } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const stopped = await join(one).granted;
    one.storage.stop();
    const deleting = join(other);
    await pass(leaseMs + 1000);
    (await deleting.granted).forget();
    deleting.leave();
    await pass();
    expect(await readQueue()).toBeNull();

    const again = join(other);
    const lease = await again.granted;
    one.storage.goOn();

    await expect(appendUnder(stopped, one, "late")).rejects.toMatchObject({ code: "conflict" });
    expect(lease.appendOptions.ifHeld?.token).toBeGreaterThan(stopped.appendOptions.ifHeld?.token ?? Infinity);
    again.leave();
    await pass();
  });

  it("deletes the stored queue with the session only when no run waits", async () => {
    const { processes, readQueue } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const first = join(one);
    (await first.granted).forget();
    const second = join(other);
    await pass();
    first.leave();
    await pass();
    await second.granted;
    expect(await readQueue()).not.toBeNull();
    second.leave();
    await pass();

    expect(await readQueue()).toMatchObject({ positions: [] });
  });
});

describe("a process that died", () => {
  it("delays other processes for one leaseMs, by their own clock", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    await takeAndDie(one);
    vi.setSystemTime(Date.now() + 7 * 24 * 60 * 60_000);
    const next = join(other);
    const granted = vi.fn<() => void>();
    void next.granted.then(granted);
    await pass(leaseMs - 500);
    expect(granted).not.toHaveBeenCalled();
    await pass(1000);

    expect(granted).toHaveBeenCalledOnce();
    next.leave();
    await pass();
  });

  it("delays other processes no longer than that when it was waiting itself", async () => {
    const { processes } = startProcesses(3);
    const [one, dead, other] = processes as [Process, Process, Process];
    const first = join(one);
    await pass(1);
    const second = join(dead);
    await pass(1);
    dead.storage.stop();
    const last = join(other);
    await pass(leaseMs + 1000);
    first.leave();
    await pass(350);

    expect(await last.granted).toMatchObject({ hadToWait: true });
    last.leave();
    second.leave();
    dead.storage.goOn();
    await pass();
  });

  it("does not shut out for good runs that never wait", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    await takeAndDie(one);

    await expect(join(other, reject).granted).rejects.toMatchObject({ code: "conflict" });
    await pass(leaseMs - 1);
    await expect(join(other, reject).granted).rejects.toMatchObject({ code: "conflict" });
    await pass(1);
    const position = join(other, reject);

    await position.granted;
    position.leave();
    await pass();
  });

  it("loses its positions when it is only slow, and joins again at the end", async () => {
    const { processes } = startProcesses(3);
    const [one, slow, other] = processes as [Process, Process, Process];
    const positions = [join(one)];
    await pass(1);
    positions.push(join(slow));
    await pass(1);
    slow.storage.stop();
    positions.push(join(other));
    await pass(leaseMs + 1000);
    slow.storage.goOn();
    await pass();
    const order = noteOrder(positions);
    await pass(2000);

    expect(order).toEqual([0, 2, 1]);
  });
});
