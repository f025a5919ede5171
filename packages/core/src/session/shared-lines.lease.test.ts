import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  appendAs,
  hasty,
  join,
  leaseMs,
  noteOrder,
  pass,
  patient,
  startProcesses,
  useFakeTime,
} from "./test/processes.ts";
import type { Process } from "./test/processes.ts";

beforeEach(useFakeTime);

/** Takes the turn and dies; what is left of it is cleared away at the end of the test. */
async function takeAndDie(process: Process): Promise<void> {
  const place = join(process);
  await place.granted;
  process.storage.stop();
  onTestFinished(async () => {
    place.leave();
    process.storage.goOn();
    await pass();
  });
}

describe("a process that has the session", () => {
  it("keeps it as long as it likes, and then leaves no timer", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const place = join(one);
    const hold = await place.granted;
    const next = join(other, { ...patient, waitMs: 10 * leaseMs });
    await pass(5 * leaseMs);

    expect(await appendAs(one, hold, "late")).toBe(1);
    await expect(hold.confirm?.()).resolves.toBeUndefined();
    place.leave();
    await pass();
    await next.granted;
    next.leave();
    await pass();
  });

  it("loses it to the next when it is stopped, and cannot write any more when it goes on", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const place = join(one);
    const hold = await place.granted;
    one.storage.stop();
    const next = join(other);
    const late = appendAs(one, hold, "late").catch((error: unknown) => error);
    await pass(leaseMs + 1000);

    expect(await appendAs(other, await next.granted, "in time")).toBe(1);
    one.storage.goOn();

    expect(await late).toMatchObject({ code: "conflict" });
    await expect(hold.confirm?.()).rejects.toMatchObject({ code: "conflict" });
    await pass();
    next.leave();
    await pass();
    await expect(appendAs(one, hold, "still")).rejects.toMatchObject({ code: "conflict" });
    place.leave();
    await pass();
    expect(one.lines.busySessions).toBe(0);
  });

  it("knows that it had to wait when another had the session between its look and its write", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    one.storage.stopAt("compareAndSet");
    const place = join(one);
    await place.looked;
    const between = join(other);
    await between.granted;
    between.leave();
    await pass();
    one.storage.goOn();

    expect(await place.granted).toMatchObject({ hadToWait: true });
    place.leave();
    await pass();
  });

  it("keeps it when it was stopped for less than its lease", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const place = join(one);
    const hold = await place.granted;
    await pass(leaseMs / 3 - 1);
    one.storage.stop();
    const next = join(other);
    await pass(leaseMs - 1000);
    one.storage.goOn();
    await pass(leaseMs - 1000);

    expect(await appendAs(one, hold, "mine")).toBe(1);
    place.leave();
    await pass();
    await next.granted;
    next.leave();
    await pass();
  });

  it("cannot write any more once it has given it back, though nobody has taken it since", async () => {
    const { processes } = startProcesses(1);
    const [one] = processes as [Process];
    const place = join(one);
    const hold = await place.granted;
    place.leave();
    await pass();

    await expect(appendAs(one, hold, "late")).rejects.toMatchObject({ code: "conflict" });
  });

  it("finds its number never again, also when the line was forgotten with the session", async () => {
    const { processes, readLine } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const stopped = await join(one).granted;
    one.storage.stop();
    const deleting = join(other);
    await pass(leaseMs + 1000);
    (await deleting.granted).forget?.();
    deleting.leave();
    await pass();
    expect(await readLine()).toBeNull();

    const again = join(other);
    const hold = await again.granted;
    one.storage.goOn();

    await expect(appendAs(one, stopped, "late")).rejects.toMatchObject({ code: "conflict" });
    expect(hold.appends?.ifHeld?.token).toBeGreaterThan(stopped.appends?.ifHeld?.token ?? Infinity);
    again.leave();
    await pass();
  });

  it("forgets the line with the session only when nobody waits", async () => {
    const { processes, readLine } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const first = join(one);
    (await first.granted).forget?.();
    const second = join(other);
    await pass();
    first.leave();
    await pass();
    await second.granted;
    expect(await readLine()).not.toBeNull();
    second.leave();
    await pass();

    expect(await readLine()).toMatchObject({ line: [] });
  });
});

describe("a process that died", () => {
  it("holds up those who come for one lease, by their own clock", async () => {
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

  it("holds up nobody for longer than that when it had waited", async () => {
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

  it("does not shut out for ever those who never wait", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    await takeAndDie(one);

    await expect(join(other, hasty).granted).rejects.toMatchObject({ code: "conflict" });
    await pass(leaseMs - 1);
    await expect(join(other, hasty).granted).rejects.toMatchObject({ code: "conflict" });
    await pass(1);
    const place = join(other, hasty);

    await place.granted;
    place.leave();
    await pass();
  });

  it("frees its places when it is only slow, and lines up again at the end", async () => {
    const { processes } = startProcesses(3);
    const [one, slow, other] = processes as [Process, Process, Process];
    const places = [join(one)];
    await pass(1);
    places.push(join(slow));
    await pass(1);
    slow.storage.stop();
    places.push(join(other));
    await pass(leaseMs + 1000);
    slow.storage.goOn();
    await pass();
    const order = noteOrder(places);
    await pass(2000);

    expect(order).toEqual([0, 2, 1]);
  });
});
