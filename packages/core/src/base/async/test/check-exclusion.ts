import { AsyncLocalStorage } from "node:async_hooks";
import fc from "fast-check";
import { expect, vi } from "vitest";
import { abortedError } from "../../errors/aborted-error.ts";
import { sleep } from "../sleep.ts";

/**
 * One worker: when it asks to enter, how long it stays inside, how it ends, and when its signal aborts, in
 * milliseconds.
 */
type PlannedWorker = {
  readonly atMs: number;
  readonly takesMs: number;
  readonly ending: "leaves" | "fails";
  readonly abortMs: number | undefined;
};

/** A worker that asks to enter. */
type Worker = { readonly number: number; readonly signal: AbortSignal };

/** A lock, a queue, a semaphore or a pool: something that lets a number of workers in at the same time. */
export type Exclusion = {
  /** The number of workers that may be inside. */
  readonly bound: number;
  /**
   * Does the work inside once the worker is let in. Rejects if the work does, or if the worker is told that it does not
   * get in.
   */
  readonly enter: (worker: Worker, inside: () => Promise<void>) => Promise<unknown>;
  /** Checks that nothing is left once all workers are gone. */
  readonly checkEmpty: () => unknown;
  /** True if workers get in in the order in which they ask. */
  readonly isFair: boolean;
  /** False if a worker whose signal aborts goes on waiting. */
  readonly hearsAborts: boolean;
};

const worker: fc.Arbitrary<PlannedWorker> = fc.record({
  atMs: fc.nat(30),
  takesMs: fc.nat(20),
  ending: fc.constantFrom("leaves" as const, "leaves" as const, "fails" as const),
  abortMs: fc.option(fc.nat(60), { nil: undefined, freq: 3 }),
});

/** More than all workers of a plan need, one after the other. */
const longestMs = 60_000;

/** Sends crowds of workers, on fake timers: no more than the bound get in, all others are told, and nothing is left. */
export async function checkExclusion(create: () => Exclusion, numRuns: number): Promise<void> {
  const crowds = fc.array(worker, { minLength: 3, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(crowds, async (crowd) => {
      vi.useFakeTimers();
      try {
        const timers = watchTimers();
        await timers.run(async () => await checkCrowd(create(), crowd));
        expect(timers.count()).toBe(0);
      } finally {
        vi.restoreAllMocks();
        vi.useRealTimers();
      }
    }),
    { numRuns },
  );
}

async function checkCrowd(exclusion: Exclusion, crowd: readonly PlannedWorker[]): Promise<void> {
  const seen: Seen = { asked: [], entered: [], told: new Set(), wrong: [], most: 0, inside: 0, done: 0 };
  const works = crowd.map(async (plan, number) => await work(exclusion, { ...plan, number }, seen));
  await vi.advanceTimersByTimeAsync(longestMs);
  // A worker that was forgotten would wait for ever.
  expect(seen.done).toBe(crowd.length);
  await Promise.all(works);
  expect(seen.wrong).toEqual([]);
  expect(seen.most).toBeLessThanOrEqual(exclusion.bound);
  if (exclusion.isFair) expect(seen.entered).toEqual(seen.asked.filter((number) => seen.entered.includes(number)));
  await exclusion.checkEmpty();
}

/**
 * Counts the fake timers that the given work leaves. Other files of the same worker may still be at work, and their
 * timers are not counted.
 */
function watchTimers() {
  const scope = new AsyncLocalStorage<true>();
  const pending = new Set<unknown>();
  const [set, clear] = [setTimeout, clearTimeout];
  vi.spyOn(globalThis, "setTimeout").mockImplementation((callback, delay) => {
    const timer = set(() => {
      pending.delete(timer);
      callback();
    }, delay);
    if (scope.getStore() === true) pending.add(timer);
    return timer;
  });
  vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
    pending.delete(timer);
    clear(timer);
  });
  return { run: async (task: () => Promise<void>) => await scope.run(true, task), count: () => pending.size };
}

type Seen = {
  asked: number[];
  entered: number[];
  told: Set<number>;
  wrong: string[];
  most: number;
  inside: number;
  done: number;
};

async function work(exclusion: Exclusion, plan: PlannedWorker & { number: number }, seen: Seen): Promise<void> {
  const { number, atMs, takesMs, ending, abortMs } = plan;
  const controller = new AbortController();
  const abort = () => controller.abort(abortedError(undefined));
  await sleep(atMs);
  const timer = abortMs === undefined ? undefined : setTimeout(abort, abortMs);
  seen.asked.push(number);
  const inside = async () => {
    // One that was told that it does not get in has gone.
    if (seen.told.has(number)) seen.wrong.push(`${number} got in after it was told that it does not`);
    seen.entered.push(number);
    seen.most = Math.max(seen.most, ++seen.inside);
    await sleep(takesMs).finally(() => seen.inside--);
    if (ending === "fails") throw new Error("planned");
  };
  const entering = exclusion.enter({ number, signal: controller.signal }, inside);
  const refusal: unknown = await entering.then(
    () => "no reason",
    (reason: unknown) => reason,
  );
  if (!seen.entered.includes(number)) {
    seen.told.add(number);
    if (!controller.signal.aborted || !exclusion.hearsAborts)
      seen.wrong.push(`${number} was refused: ${String(refusal)}`);
  }
  clearTimeout(timer);
  seen.done += 1;
}
