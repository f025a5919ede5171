import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it, vi } from "vitest";
import { LocalEngine } from "./local-engine.ts";
import type { RunJob, Serving } from "./run-engine.ts";

it("no job of the local engine waits while there is a place for it, and each is performed to its end, in any order [async.wake-ups]", async () => {
  await checkInterleavings(performJobs, { seed: 38_601, numRuns: 80, stepMs: 500, quietMs: 4000 });
});

const concurrency = 2;
const delayMs = 1000;

/** A job that was submitted and neither ended nor withdrawn. */
type Open = { readonly job: RunJob; state: "waiting" | "running"; dueAtMs: number };

async function performJobs(held: HeldCalls): Promise<Scene> {
  const engine = new LocalEngine();
  const open = new Map<string, Open>();
  const running = new Set<string>();
  let reserved = 0;
  let serving: Serving | undefined;
  let isDraining = false;
  let draining: Promise<void> | undefined;
  let runs = 0;
  const perform = async (job: RunJob, signal: AbortSignal): Promise<void | { againInMs: number }> => {
    const own = open.get(job.runId);
    held.check(own?.state === "waiting", "a job is performed twice, or after it was withdrawn");
    if (own === undefined) return undefined;
    held.check(!isDraining, "a job begins while the engine drains");
    held.check(Date.now() >= own.dueAtMs, "a job is performed before its time");
    own.state = "running";
    running.add(job.runId);
    const work = held.hold(`the work of ${job.runId}`, () => undefined, { signal });
    // One that fails is handed back.
    const again = await work.then(
      () => false,
      () => true,
    );
    running.delete(job.runId);
    if (signal.aborted || again)
      Object.assign(own, { state: "waiting", dueAtMs: signal.aborted ? 0 : Date.now() + delayMs });
    else open.delete(job.runId);
    return again && !signal.aborted ? { againInMs: delayMs } : undefined;
  };
  const submit = async (notBefore = 0): Promise<void> => {
    const job: RunJob = { runId: `r${(runs += 1)}`, activation: 1, ...(notBefore > 0 && { notBefore }) };
    open.set(job.runId, { job, state: "waiting", dueAtMs: notBefore });
    await engine.submit(job);
  };
  const serve = async (): Promise<void> => {
    if (serving !== undefined || isDraining) return;
    serving = await engine.serve(perform, { concurrency });
  };
  const drain = async (graceMs: number): Promise<void> => {
    const own = serving;
    if (own === undefined || isDraining) return;
    isDraining = true;
    draining = own.drain(graceMs);
    await draining;
    held.check(running.size === 0, "a drain ends before the work");
    isDraining = false;
    serving = undefined;
  };
  const reserve = async (isUsed: boolean): Promise<void> => {
    const runId = `r${(runs += 1)}`;
    const hasPlace = engine.reserve(runId, 10);
    if (!hasPlace) return;
    reserved += 1;
    await held.hold("the acceptance", () => undefined, { canFail: false });
    reserved -= 1;
    if (!isUsed) return engine.release(runId);
    open.set(runId, { job: { runId, activation: 1 }, state: "waiting", dueAtMs: 0 });
    await engine.submit({ runId, activation: 1 });
  };
  await serve();
  return {
    operations: {
      submit: async () => await submit(),
      "submit for later": async () => await submit(Date.now() + delayMs),
      "submit again": async () => {
        const [first] = open.values();
        if (first !== undefined) await engine.submit(first.job);
      },
      withdraw: async () => {
        const waiting = [...open.values()].find(({ state }) => state === "waiting");
        if (waiting === undefined) return;
        open.delete(waiting.job.runId);
        await engine.withdraw(waiting.job.runId);
      },
      serve,
      drain: async () => await drain(60_000),
      "drain at once": async () => {
        const drained = drain(0);
        await vi.advanceTimersByTimeAsync(1);
        await drained;
      },
      reserve: async () => await reserve(runs % 2 === 0),
    },
    always: () => {
      expect(running.size, "jobs at once").toBeLessThanOrEqual(concurrency);
      const isDue = ({ state, dueAtMs }: Open): boolean => state === "waiting" && dueAtMs < Date.now();
      const hasPlace = serving !== undefined && !isDraining && running.size + reserved < concurrency;
      expect(hasPlace ? [...open.values()].filter(isDue) : [], "jobs that wait beside a free place").toEqual([]);
    },
    end: async () => {
      await draining;
      await serve();
      // All that was handed back is due again.
      await new Promise((resolve) => setTimeout(resolve, 2 * delayMs));
      held.check(open.size === 0, "a job was forgotten");
    },
    again: async () => await submit(),
    afterwards: async () => {
      expect([...open.values()]).toEqual([]);
      expect(await engine.waiting()).toBe(0);
      await engine.close();
    },
  };
}
