import { TroupeError } from "@troupe/core";
import type { RunWait } from "@troupe/core";
import type { RunEvent, RunView } from "@troupe/core/runs";
import { replaceSleep } from "@troupe-internal/interleavings";
import type { Sleep } from "@troupe-internal/interleavings";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { attempt, end, ended, queued, running, said, wait, waits } from "../../test/followed-task.ts";
import { TaskTail } from "./task-tail.ts";
import type { TaskRun } from "./task-runs.ts";

/** The pauses under way. Those of other files of the worker, which are fake as well, do not count. */
let underWay = 0;

/** A pause on the fake timers, which leave those of `node:timers/promises` out. One that keeps the process alive fails. */
const pause: Sleep = async (ms, { ref = true, signal } = {}) =>
  await new Promise((resolve, reject) => {
    const left = (): void => reject(signal?.reason as Error);
    if (ref || signal?.aborted === true) return left();
    const abort = (): void => {
      underWay -= 1;
      clearTimeout(timer);
      left();
    };
    const timer = setTimeout(() => {
      underWay -= 1;
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    underWay += 1;
    signal?.addEventListener("abort", abort, { once: true });
  });

const two: RunWait[] = [wait, { ...wait, id: "w2" }];
const waiting: RunView = { ...running, status: "waiting", waits: [wait] };
const done = ended("Rain.");
const away = new TroupeError("storage_unavailable", "Away.");

/** A look at the record of a run: what it says, or how it fails. */
type Look = RunView | Error;

/** Follows a run whose records are these, the last one from then on, and whose events are those. */
function tailOf(start: RunView, records: readonly Look[], { events = [], isLeft = false }: TailOptions = {}) {
  onTestFinished(replaceSleep(pause));
  const abort = new AbortController();
  if (isLeft) abort.abort();
  const calls: string[] = [];
  const asked: { at: number }[] = [];
  const began = Date.now();
  const view = async (): Promise<RunView> => {
    if (asked.length > 50) throw new Error("The run is looked at without a pause.");
    asked.push({ at: Date.now() - began });
    const look = records[Math.min(asked.length, records.length) - 1] ?? new Error("The script has no record.");
    return look instanceof Error ? await Promise.reject(look) : await Promise.resolve(look);
  };
  const left = [...events];
  const followed: unknown[][] = [];
  const run = {
    view,
    follow: (...given: unknown[]) => void followed.push(given),
    next: async () => await Promise.resolve(left.shift()),
    leave: () => void calls.push("leave"),
    end: () => void calls.push("end"),
  };
  const listeners = {
    add: vi.spyOn(abort.signal, "addEventListener"),
    remove: vi.spyOn(abort.signal, "removeEventListener"),
  };
  const task = { run, view: start } as unknown as TaskRun;
  const tail = new TaskTail(task, abort.signal);
  const times = () => asked.map(({ at }) => at);
  return { tail, task, abort, calls, asked, times, followed, listeners };
}

type TailOptions = { events?: readonly RunEvent[]; isLeft?: boolean };

/** Waits for a promise while the time goes on by so many milliseconds. */
async function settle<T>(promise: Promise<T>, ms = 60_000): Promise<T | "pending"> {
  let result: T | "pending" = "pending";
  void promise.then((value) => (result = value));
  await vi.advanceTimersByTimeAsync(ms);
  return result;
}

beforeEach(() => {
  underWay = 0;
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a client that follows the run of a task", () => {
  it("follows that run once, from the first event on", () => {
    const { followed, tail, task } = tailOf(running, []);
    expect(followed).toEqual([[]]);
    expect(tail.task).toBe(task);
    expect(tail.paused).toBeUndefined();
  });

  it("gets the events in order, and then nothing", async () => {
    const { tail } = tailOf(running, [], { events: [attempt(1), said("2.0", "Ra"), end] });
    expect([await tail.next(), await tail.next(), await tail.next(), await tail.next()]).toEqual([
      attempt(1),
      said("2.0", "Ra"),
      end,
      undefined,
    ]);
  });

  it("leaves the events when it leaves, once, and at once if it has left before", () => {
    const { abort, calls } = tailOf(running, []);
    expect(calls).toEqual([]);
    abort.abort();
    expect(calls).toEqual(["leave"]);
    const late = tailOf(running, [], { isLeft: true });
    expect(late.calls).toEqual(["leave"]);
    expect(late.listeners.add).not.toHaveBeenCalled();
  });

  it("ends the events without leaving them, and hears no more of its signal", () => {
    const { tail, abort, calls, listeners } = tailOf(running, []);
    tail.end();
    abort.abort();
    expect(calls).toEqual(["end"]);
    expect(listeners.remove.mock.calls).toEqual([listeners.add.mock.calls[0]?.slice(0, 2)]);
  });
});

describe("the looks at the record of a run", () => {
  it("are made at once and then after 2 ms, doubled up to 1 second", async () => {
    const { tail, times } = tailOf(running, [...Array.from({ length: 12 }, () => running), done]);
    expect(await settle(tail.untilEnded())).toBe(done);
    expect(times()).toEqual([0, 2, 6, 14, 30, 62, 126, 254, 510, 1022, 2022, 3022, 4022]);
    expect(underWay).toBe(0);
  });

  it("stop when the client leaves, without the rest of the pause", async () => {
    const { tail, abort, times } = tailOf(running, [running]);
    const ending = tail.untilEnded();
    await vi.advanceTimersByTimeAsync(500);
    const before = times().length;
    abort.abort();
    expect(await settle(ending, 0)).toBeUndefined();
    expect(times()).toHaveLength(before);
    expect(underWay).toBe(0);
  });

  it("are none for a client that has left, and for one that has ended", async () => {
    const left = tailOf(done, [done], { isLeft: true });
    expect(await settle(left.tail.untilEnded())).toBeUndefined();
    const over = tailOf(done, [done]);
    over.tail.end();
    expect(await settle(over.tail.untilSettled())).toBeUndefined();
    expect([...left.asked, ...over.asked]).toEqual([]);
  });

  it("stop when the following ends, after the pause that is under way", async () => {
    const { tail, times } = tailOf(running, [running]);
    const ending = tail.untilEnded();
    await vi.advanceTimersByTimeAsync(3);
    tail.end();
    expect(await settle(ending)).toBeUndefined();
    expect(times()).toEqual([0, 2]);
  });

  it.each(["untilSettled", "untilEnded", "untilResting"] as const)("fail %s with the storage", async (wanted) => {
    const { tail, times } = tailOf(running, [running, away, done], { events: [attempt(1)] });
    await tail.next();
    const failed = tail[wanted]().catch((error: unknown) => error);
    expect(await settle(failed)).toBe(away);
    expect(times()).toEqual([0, 2]);
  });
});

describe("a run of a task", () => {
  const statuses = ["completed", "failed", "cancelled"] as const;
  const at = (status: string, attempts = 1): RunView => ({ ...running, status, attempts }) as RunView;

  it.each(statuses)("is over and rests when it is %s", async (status) => {
    for (const wanted of ["untilSettled", "untilEnded", "untilResting"] as const) {
      const { tail } = tailOf(running, [queued, running, at(status)], { events: [attempt(1)] });
      await tail.next();
      expect(await settle(tail[wanted]())).toEqual(at(status));
    }
  });

  it("is settled when it waits, but not over", async () => {
    const settled = tailOf(running, [waiting, done], { events: [attempt(1)] });
    await settled.tail.next();
    expect(await settle(settled.tail.untilSettled())).toBe(waiting);
    expect(await settle(tailOf(running, [waiting, running, done]).tail.untilEnded())).toBe(done);
  });

  it("goes on where its record is of a later attempt than the events that were read", async () => {
    const { tail, times } = tailOf(running, [at("running", 2), at("running", 2), at("queued", 3), done], {
      events: [attempt(2), said("2.0", "Ra")],
    });
    await tail.next();
    await tail.next();
    expect(await settle(tail.untilSettled())).toBeUndefined();
    expect(times()).toEqual([0, 2, 6]);
  });

  it("goes on where no attempt was read yet, and its record has one", async () => {
    const { tail, times } = tailOf(queued, [queued, running, done]);
    expect(await settle(tail.untilSettled())).toBeUndefined();
    expect(times()).toEqual([0, 2]);
  });

  it.each<[string, RunView, readonly RunView[], RunView]>([
    ["when it waits, for one that did not wait", running, [running, waiting], waiting],
    [
      "when it waits in a later attempt, for one that did",
      waiting,
      [waiting, { ...waiting, attempts: 2 }],
      { ...waiting, attempts: 2 },
    ],
    ["when it is over in the same attempt, for one that waited", waiting, [waiting, at("cancelled")], at("cancelled")],
    ["when it is over, which is not while it is performed", waiting, [at("running", 2), done], done],
  ])("rests %s", async (...[, start, records, resting]) => {
    const { tail, times } = tailOf(start, records);
    expect(await settle(tail.untilResting())).toEqual(resting);
    expect(times()).toHaveLength(records.length);
  });
});

it.each([1, 2, 3])("in round %i a task rests, or is watched, until it waits behind that round", async (attempts) => {
  const start: RunView = { ...waiting, attempts };
  const next: RunView = { ...waiting, attempts: attempts + 1 };
  const resting = tailOf(start, [start, { ...running, attempts }, start, next]);
  expect(await settle(resting.tail.untilResting())).toBe(next);

  const watched = tailOf({ ...start, waits: two }, [start, start, next]);
  await vi.advanceTimersByTimeAsync(5000);
  expect([watched.tail.paused, watched.times()]).toEqual([next, [0, 2, 6]]);
});

describe("a task that waits for several answers", () => {
  const start: RunView = { ...waiting, waits: two };
  const again: RunView = { ...waiting, attempts: 2 };

  it("is watched until it waits again, and its events are left then", async () => {
    const { tail, calls, times } = tailOf(start, [start, { ...running, attempts: 2 }, again]);
    await vi.advanceTimersByTimeAsync(5);
    expect([tail.paused, calls]).toEqual([undefined, []]);
    await vi.advanceTimersByTimeAsync(1);
    expect(tail.paused).toBe(again);
    expect(calls).toEqual(["leave"]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(times()).toEqual([0, 2, 6]);
  });

  it("has its events read on when it is over instead", async () => {
    const over = { ...done, attempts: 2 };
    const { calls, times } = tailOf(start, [start, over]);
    await vi.advanceTimersByTimeAsync(5000);
    expect([calls, times()]).toEqual([[], [0, 2]]);
  });

  it("is looked at again after looks that fail", async () => {
    const { tail, times } = tailOf(start, [away, away, again]);
    await vi.advanceTimersByTimeAsync(5000);
    expect([tail.paused, times()]).toEqual([again, [0, 2, 6]]);
  });

  it("is not watched any more once the following has ended or its client has left", async () => {
    const over = tailOf(start, [start]);
    const left = tailOf(start, [start]);
    await vi.advanceTimersByTimeAsync(1);
    over.tail.end();
    left.abort.abort();
    await vi.advanceTimersByTimeAsync(5000);
    expect([over.times(), left.times()]).toEqual([[0], [0]]);
    expect([over.calls, left.calls]).toEqual([["end"], ["leave"]]);
  });

  it.each([
    ["one", { ...waiting, waits: [wait] }],
    ["none", { ...running, waits: [] }],
    ["none of which it tells", running],
  ])("is not watched where there is %s", async (_count, once) => {
    const { asked } = tailOf(once, [once], { events: [waits] });
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked).toEqual([]);
  });
});
