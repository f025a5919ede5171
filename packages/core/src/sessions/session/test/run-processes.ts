import { vi } from "vitest";
import { InMemoryStorage } from "../../storage/in-memory-storage.ts";
import { sleep } from "../../../base/async/sleep.ts";
import { SessionStore } from "../session-store.ts";
import { SharedStorage } from "../../storage/test/shared-storage.ts";
import { turnNamed, withSession } from "./turns.ts";

/** A run in one of the processes: starts at `atMs`, and takes `takesMs` between reading and writing. */
type PlannedRun = { process: number; atMs: number; takesMs: number };

/** A process that is stopped at `atMs`, for `forMs`. */
type PlannedStop = { process: number; atMs: number; forMs: number };

/** Runs and stops of several processes on one session. */
export type Plan = { seed: number; processes: number; runs: readonly PlannedRun[]; stops: readonly PlannedStop[] };

/** A stored turn: its run, and the number of turns that the run had found. */
type StoredRun = { run: number; found: number };

/** State of the storage after a plan, and what its runs were told. */
export type Outcome = {
  stored: StoredRun[];
  /** Runs that were told that their turn is stored. */
  acknowledged: number[];
  /** Number of turns in the session's record. */
  counted: number;
};

/** More than all stops, waits and leases of a plan together. */
const longestMs = 400_000;

/** Runs a plan on fake timers. Processes that were stopped for long go on at the end, when all others are done. */
export async function runProcesses(plan: Plan): Promise<Outcome> {
  vi.useFakeTimers();
  const random = randomFrom(plan.seed);
  const jitter = vi.spyOn(Math, "random").mockImplementation(random);
  try {
    return await execute(plan, random);
  } finally {
    jitter.mockRestore();
    vi.useRealTimers();
  }
}

async function execute({ processes, runs, stops }: Plan, random: () => number): Promise<Outcome> {
  const storage = new InMemoryStorage();
  const storages = Array.from({ length: processes }, () => new SharedStorage(storage, () => Math.floor(random() * 4)));
  const stores = storages.map((own) => new SessionStore(own, { maxWaiting: 100 }));
  const acknowledged: number[] = [];
  const running = runs.map(async ({ process, atMs, takesMs }, run) => {
    await sleep(atMs);
    try {
      await withSession(stores[process] as SessionStore, async (session) => {
        const { length } = await session.loadTurns(Infinity);
        await sleep(takesMs);
        await session.appendTurn(turnNamed(`${run} found ${length}`));
      });
      acknowledged.push(run);
    } catch {
      // It was refused, or waited too long.
    }
  });
  for (const { process, atMs, forMs } of stops) {
    setTimeout(() => storages[process]?.stop(), atMs);
    setTimeout(() => storages[process]?.goOn(), atMs + forMs);
  }
  await vi.advanceTimersByTimeAsync(longestMs);
  for (const own of storages) own.goOn();
  await vi.advanceTimersByTimeAsync(longestMs);
  await Promise.all(running);
  if (vi.getTimerCount() > 0) throw new Error(`${vi.getTimerCount()} timers were left behind.`);
  return { ...(await readStored(storage)), acknowledged };
}

async function readStored(storage: InMemoryStorage): Promise<Pick<Outcome, "stored" | "counted">> {
  const turns = (await storage.list("turns")) as unknown as { value: { runId: string } }[];
  const stored = turns.map(({ value }) => {
    const [run = Number.NaN, found = Number.NaN] = value.runId.split(" found ").map(Number);
    return { run, found };
  });
  const session = (await storage.get("sessions", "-/-/s")) as { turns: number } | null;
  return { stored, counted: session?.turns ?? 0 };
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
