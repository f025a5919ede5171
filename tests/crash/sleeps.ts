import { createHook } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Workflow } from "@troupe/core";
import type { StorageDriver } from "@troupe/core";
import { RunService } from "@troupe/core/runs";

/** The figures of sleeping runs in one process. Times are milliseconds. */
export type SleepsReport = {
  /** Runs that this process began and started each second, without sleep. */
  startsPerSecond: number;
  /** The timers that were set while runs fell asleep, and were left when all of them slept. */
  timers: number;
  /** Bytes of the heap for each run that sleeps, all that the service keeps of it included. */
  heapPerRun: number;
  /** Milliseconds by which the runs were late: the middle, the slowest hundredth, and the slowest. */
  lateness: { p50: number; p99: number; max: number };
  faults: string[];
};

type State = { at: number };

/** The number of runs with which the rate is measured, and the number of callers that begin runs at a time. */
const measuredRuns = 1000;
const beginsAtOnce = 16;
/** Timers that may be left: that of the service, and those of idle connections to a database. */
const mostTimers = 20;
/** Milliseconds that the slowest hundredth may be late. */
const mostLateMs = 2000;

/**
 * Lets workflow runs sleep that are due at half the rate at which the process begins and starts runs, and measures how late
 * they go on.
 */
export async function trySleeps(storage: StorageDriver, count: number): Promise<SleepsReport> {
  const started: number[] = [];
  const wake = { name: "wake", effect: "pure", run: ({ at }: State) => void started.push(Date.now() - at) } as const;
  const workflows = {
    plain: new Workflow<State>({ name: "plain", initialState: { at: 0 }, steps: [wake] }),
    sleeping: new Workflow<State>({
      name: "sleeping",
      initialState: { at: 0 },
      steps: [{ name: "nap", sleepUntil: ({ at }) => at }, wake],
    }),
  };
  const admission = { maxQueued: 2 * count, perCaller: 2 * count };
  const runs = new RunService({ storage, workflows, admission, sealKeys: false });
  await runs.serve({ concurrency: 50 });
  const begin = async (name: keyof typeof workflows, total: number, dueAt: (index: number) => number) => {
    let begun = 0;
    const caller = async (): Promise<void> => {
      while (begun < total) await runs.accept({ kind: "workflow", name, input: { at: dueAt(begun++) } });
    };
    await Promise.all(Array.from({ length: beginsAtOnce }, caller));
  };
  const untilStarted = async (total: number, patienceMs: number): Promise<void> => {
    for (const until = Date.now() + patienceMs; started.length < total && Date.now() < until;) await sleep(20);
  };
  try {
    const beganAt = performance.now();
    await begin("plain", measuredRuns, () => Date.now());
    await untilStarted(measuredRuns, 60_000);
    const startsPerSecond = (1000 * started.length) / (performance.now() - beganAt);
    started.length = 0;
    // The first is due when all have fallen asleep: that takes about twice as long as to start as many.
    const firstAt = Math.ceil(Date.now() + (4000 * count) / startsPerSecond + 5000);
    const heapBefore = heapNow();
    const timers = countTimers();
    await begin("sleeping", count, (index) => firstAt + Math.ceil((2000 * index) / startsPerSecond));
    await untilAsleep(runs, firstAt);
    const asleep = { timers: timers.end(), heap: heapNow() };
    const awakeEarly = started.length;
    await untilStarted(count, firstAt - Date.now() + (2000 * count) / startsPerSecond + 60_000);
    const late = started.toSorted((one, other) => one - other);
    const at = (share: number) => late[Math.ceil(share * late.length) - 1] ?? Infinity;
    const lateness = { p50: at(0.5), p99: at(0.99), max: at(1) };
    const faults = [
      ...(late.length === count ? [] : [`${late.length} of ${count} runs went on.`]),
      ...((late[0] ?? 0) < 0 ? [`A run went on ${-(late[0] ?? 0)} ms early.`] : []),
      ...(awakeEarly > 0
        ? [`${awakeEarly} runs went on before all were asleep: the figures of sleep are too low.`]
        : []),
      ...(asleep.timers > mostTimers ? [`${asleep.timers} timers were set for sleeping runs.`] : []),
      ...(lateness.p99 > mostLateMs ? [`The slowest hundredth went on ${lateness.p99} ms late.`] : []),
    ];
    const heapPerRun = Math.round((asleep.heap - heapBefore) / count);
    return { startsPerSecond: Math.round(startsPerSecond), timers: asleep.timers, heapPerRun, lateness, faults };
  } finally {
    await runs.close();
  }
}

/** Waits until no run is performed any more, or the first is due. */
async function untilAsleep(runs: RunService, firstAt: number): Promise<void> {
  const isWaiting = async () => (await runs.list("host", { status: "running", limit: 1 })).runs.length === 0;
  while (Date.now() < firstAt - 1000 && !(await isWaiting())) await sleep(200);
  // Timers of the last writes end.
  await sleep(500);
}

/** Counts the timers that are set from now on, also those that do not keep the process alive. `end` returns those that are left. */
function countTimers(): { end(): number } {
  const left = new Set<number>();
  const init = (id: number, type: string): void => void (type === "Timeout" && left.add(id));
  const hook = createHook({ init, destroy: (id) => void left.delete(id) }).enable();
  return {
    end: () => {
      hook.disable();
      return left.size;
    },
  };
}

/** Returns the bytes of live objects. */
function heapNow(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}
