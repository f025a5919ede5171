import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScheduleRunner } from "./schedule-runner.ts";
import type { ScheduleStore } from "./schedule-store.ts";

type Found = Awaited<ReturnType<ScheduleStore["listDue"]>>;

/** Makes a runner over a storage with `watch` that has no schedules, or over another storage, and counts its reads. */
function makeRunner({
  inMemory = false,
  mayBegin = () => true,
}: { inMemory?: boolean; mayBegin?: () => boolean } = {}) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const hints = new Set<() => void>();
  const watch = (_namespace: string, onChange: () => void) => {
    hints.add(onChange);
    return () => void hints.delete(onChange);
  };
  const hint = () => hints.forEach((each) => each());
  const storage = Object.assign(inMemory ? new InMemoryStorage() : {}, { watch });
  const listDue = vi.fn<() => Promise<Found>>().mockResolvedValue({ due: [], nextAt: undefined });
  const lines: string[] = [];
  const runner = new ScheduleRunner({
    store: { storage, listDue } as unknown as ScheduleStore,
    now: () => Date.now(),
    logger: createLogger({ level: "warn", write: (line) => lines.push(line) }),
    toRunId: ({ id }) => id,
    accept: async () => undefined,
    isOpen: async () => false,
    cancel: async () => "over",
    mayBegin,
  });
  onTestFinished(async () => await runner.stop());
  const readsIn = async (ms: number) => {
    listDue.mockClear();
    await vi.advanceTimersByTimeAsync(ms);
    return listDue.mock.calls.length;
  };
  return { runner, hints, hint, listDue, lines, readsIn };
}

/** Lets the next read of the due schedules last until the returned function is called. */
function holdRead(listDue: ReturnType<typeof makeRunner>["listDue"]): () => void {
  const read = Promise.withResolvers<Found>();
  listDue.mockReturnValueOnce(read.promise);
  return () => read.resolve({ due: [], nextAt: undefined });
}

describe("the runner of schedules", () => {
  it("reads nothing and watches nothing once it was stopped", async () => {
    const { runner, hints, listDue } = makeRunner();
    runner.start();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(listDue.mock.calls.length).toBeGreaterThan(2);
    expect(hints.size).toBe(1);
    await runner.stop();
    listDue.mockClear();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([listDue.mock.calls.length, hints.size, vi.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it.each([0, 1, 10_000])(
    "looks at once when it is started again, if %i ms passed before it was stopped",
    async (ms) => {
      const { runner, listDue } = makeRunner();
      runner.start();
      await vi.advanceTimersByTimeAsync(ms);
      await runner.stop();
      listDue.mockClear();
      runner.start();
      await vi.advanceTimersByTimeAsync(0);
      expect(listDue).toHaveBeenCalledTimes(1);
      await runner.stop();
    },
  );

  it("reads once for many hints", async () => {
    const { runner, hints, listDue } = makeRunner();
    runner.start();
    await vi.advanceTimersByTimeAsync(0);
    listDue.mockClear();
    for (let count = 0; count < 100; count++) for (const hint of hints) hint();
    await vi.advanceTimersByTimeAsync(100);
    expect(listDue).toHaveBeenCalledTimes(1);
    await runner.stop();
  });

  it.each([
    [true, 0],
    [false, 12],
  ])("reads nothing by itself if its storage in memory is %s and there is no schedule", async (inMemory, reads) => {
    const { runner, readsIn } = makeRunner({ inMemory });
    runner.start();
    expect(await readsIn(0)).toBe(1);
    expect(await readsIn(62_000)).toBe(reads);
  });

  it.each([
    [-1, 0],
    [3000, 3000],
    [4999, 4999],
    [20_000, 5000],
  ])("a runner of schedules whose next time is in %i ms reads again after %i ms", async (nextMs, afterMs) => {
    const { runner, listDue, readsIn } = makeRunner({ inMemory: true });
    listDue.mockImplementationOnce(async () => ({ due: [], nextAt: Date.now() + nextMs }));
    runner.start();
    // The clock of a timer without a pause moves by a millisecond.
    expect(await readsIn(0)).toBe(1);
    expect(await readsIn(Math.max(0, afterMs - 1))).toBe(0);
    expect(await readsIn(2)).toBe(1);
    expect(await readsIn(60_000)).toBe(0);
  });

  it("reads earlier for a hint, instead of later", async () => {
    const { runner, hint, listDue, readsIn } = makeRunner({ inMemory: true });
    listDue.mockImplementationOnce(async () => ({ due: [], nextAt: Date.now() + 4000 }));
    runner.start();
    expect(await readsIn(0)).toBe(1);
    hint();
    expect([await readsIn(49), await readsIn(1), await readsIn(60_000)]).toEqual([0, 1, 0]);
  });

  it("reads once more for hints during a read, which may have missed a change, and then no more", async () => {
    const { runner, hint, listDue, readsIn } = makeRunner({ inMemory: true });
    const resolve = holdRead(listDue);
    runner.start();
    expect(await readsIn(0)).toBe(1);
    for (let count = 0; count < 3; count++) hint();
    expect(await readsIn(1000)).toBe(0);
    resolve();
    expect([await readsIn(49), await readsIn(1), await readsIn(60_000)]).toEqual([0, 1, 0]);
  });

  it("does not wait for a hint's pause if a time comes earlier", async () => {
    const { runner, hint, listDue, readsIn } = makeRunner({ inMemory: true });
    listDue.mockImplementationOnce(async () => {
      await Promise.resolve();
      hint();
      return { due: [], nextAt: Date.now() + 10 };
    });
    runner.start();
    expect([await readsIn(0), await readsIn(9), await readsIn(1)]).toEqual([1, 0, 1]);
  });

  it("is stopped once its read has ended", async () => {
    const { runner, listDue, readsIn } = makeRunner();
    const resolve = holdRead(listDue);
    runner.start();
    await readsIn(0);
    let isStopped = false;
    const stopped = runner.stop().then(() => (isStopped = true));
    await vi.advanceTimersByTimeAsync(1000);
    expect(isStopped).toBe(false);
    resolve();
    expect(await stopped).toBe(true);
  });

  it("reads nothing while its clock is wrong, and looks every five seconds if it still is", async () => {
    let isWrong = true;
    const { runner, readsIn } = makeRunner({ inMemory: true, mayBegin: () => !isWrong });
    runner.start();
    expect(await readsIn(9000)).toBe(0);
    isWrong = false;
    expect([await readsIn(999), await readsIn(1)]).toEqual([0, 1]);
  });

  it("warns of a read that failed, and reads again after five seconds", async () => {
    const { runner, listDue, lines, readsIn } = makeRunner({ inMemory: true });
    listDue.mockRejectedValueOnce(new Error("The storage is away."));
    runner.start();
    expect([await readsIn(4999), await readsIn(1), await readsIn(60_000)]).toEqual([1, 1, 0]);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ level: "warn" }]);
  });

  it("keeps no process alive", async () => {
    const { runner, listDue, readsIn } = makeRunner();
    listDue.mockImplementation(async () => ({ due: [], nextAt: Date.now() + 1000 }));
    const made = await timersOf(async () => {
      runner.start();
      await readsIn(10_000);
    });
    expect(made.length).toBeGreaterThan(10);
    expect(made.filter((timer) => timer.hasRef())).toEqual([]);
  });
});

/** Returns the timers that some work makes. A spy would put the faked functions back in later files, too. */
async function timersOf(work: () => Promise<void>): Promise<NodeJS.Timeout[]> {
  const { setTimeout: later, setInterval: again } = globalThis;
  const made: NodeJS.Timeout[] = [];
  const note = (timer: NodeJS.Timeout): NodeJS.Timeout => {
    made.push(timer);
    return timer;
  };
  Object.assign(globalThis, {
    setTimeout: (call: () => void, ms?: number) => note(later(call, ms)),
    setInterval: (call: () => void, ms?: number) => note(again(call, ms)),
  });
  try {
    await work();
  } finally {
    Object.assign(globalThis, { setTimeout: later, setInterval: again });
  }
  return made;
}
