import { beforeEach, describe, expect, it } from "vitest";
import type { PlaceInLine } from "./place-in-line.ts";
import { SharedLines } from "./shared-lines.ts";
import { hasty, join, noteOrder, pass, patient, startProcesses, useFakeTime } from "./test/processes.ts";
import type { Process } from "./test/processes.ts";

beforeEach(useFakeTime);

describe("a line for several processes", () => {
  it("gives the turn at once when nobody has it, for one look and one write, and takes one write to give it back", async () => {
    const { processes, readLine } = startProcesses(1);
    const [one] = processes as [Process];
    const place = join(one);
    await place.looked;
    expect(one.storage.calls).toEqual(["get", "compareAndSet"]);

    expect(await place.granted).toMatchObject({ hadToWait: false });
    await pass();
    place.leave();
    expect(one.storage.calls).toEqual(["get", "compareAndSet", "compareAndSet"]);
    await pass();

    expect(await readLine()).toMatchObject({ line: [], processes: [] });
    expect(one.lines.busySessions).toBe(0);
  });

  it("gives the turn to one after the other in the order in which they came, whatever process they are in", async () => {
    const { processes } = startProcesses(3);
    const places: PlaceInLine[] = [];
    for (const number of [0, 1, 2, 0, 0, 2, 1, 0, 1, 2]) {
      places.push(join(processes[number] as Process));
      await pass(1);
    }
    const order = noteOrder(places);
    await pass(5000);

    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(processes.map(({ lines }) => lines.busySessions)).toEqual([0, 0, 0]);
  });

  it("gives the turn on within one process by one write", async () => {
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

  it("has different sessions side by side", async () => {
    const { processes } = startProcesses(2);
    const places = processes.map(({ lines }, number) => lines.join(`-/${number}`, hasty));

    expect(await Promise.all(places.map(({ granted }) => granted))).toHaveLength(2);
    for (const { leave } of places) leave();
    await pass();
  });

  it("looks less often the longer it waits, and at once again when it gets on", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const places = [join(one)];
    await pass(0);
    places.push(join(one), join(other));
    await pass(10_000);
    other.storage.calls.length = 0;
    await pass(10_000);
    expect(other.storage.calls.length).toBeLessThan(70);

    other.storage.calls.length = 0;
    places[0]?.leave();
    await pass(400);
    expect(other.storage.calls.length).toBeGreaterThan(5);

    for (const { leave } of places) leave();
    await pass();
  });
});

describe("whoever comes to a session that another process has", () => {
  it("is refused at once when it does not want to wait", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const first = join(one);
    await first.granted;

    await expect(join(other, hasty).granted).rejects.toMatchObject({ code: "conflict" });
    first.leave();
    await pass();
    expect(other.lines.busySessions).toBe(0);
  });

  it("is refused when as many wait already as may wait, in whatever processes", async () => {
    const { processes } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const places: PlaceInLine[] = [];
    for (let number = 0; number < 11; number++) {
      places.push(join(number % 2 === 0 ? one : other, { ...patient, maxWaiting: 10 }));
      await pass(1);
    }

    for (const process of processes) {
      await expect(join(process, { ...patient, maxWaiting: 10 }).granted).rejects.toMatchObject({ code: "conflict" });
    }
    const order = noteOrder(places);
    await pass(5000);
    expect(order).toHaveLength(11);
  });

  it("is refused when its time is over, and those behind move up", async () => {
    const { processes, readLine } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const first = join(one);
    await first.granted;
    const short = join(other, { ...patient, waitMs: 500 });
    await pass(1);
    const next = join(other);
    await pass(500);

    await expect(short.granted).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("500") });
    expect((await readLine())?.line).toHaveLength(2);
    first.leave();
    await pass();
    await next.granted;
    next.leave();
    await pass();
  });

  it("lets go at once when its signal aborts, and is then in no line", async () => {
    const { processes, readLine } = startProcesses(2);
    const [one, other] = processes as [Process, Process];
    const first = join(one);
    await first.granted;
    const abort = new AbortController();
    const second = join(other, { ...patient, signal: abort.signal });
    await pass();
    abort.abort();

    await expect(second.granted).rejects.toMatchObject({ code: "cancelled" });
    await pass();
    expect((await readLine())?.line).toHaveLength(1);
    first.leave();
    await pass();
  });

  it("is in no line when its signal aborts while it is taking the turn", async () => {
    const { processes, readLine } = startProcesses(1);
    const [one] = processes as [Process];
    const abort = new AbortController();
    one.storage.stop();
    const place = join(one, { ...patient, signal: abort.signal });
    abort.abort();
    await expect(place.granted).rejects.toMatchObject({ code: "cancelled" });
    await place.looked;
    one.storage.goOn();
    await pass();

    expect((await readLine())?.line ?? []).toEqual([]);
    expect(one.lines.busySessions).toBe(0);
  });
});

it("takes ten seconds for a lease when nothing else is said", async () => {
  const { processes, readLine } = startProcesses(1);
  const [one] = processes as [Process];
  const place = new SharedLines(one.storage).join("-/s", patient);
  await place.granted;

  expect(await readLine()).toMatchObject({ processes: [{ leaseMs: 10_000 }] });
  place.leave();
  await pass();
});
