import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { LocalEngine } from "./local-engine.ts";
import type { RunJob, Serving } from "./run-engine.ts";

it("no job of the local engine waits while there is a place for it, and each is performed to its end, in any order [async.wake-ups]", async () => {
  await checkInterleavings(performJobs, { seed: 38_601, numRuns: 150, stepMs: 500, quietMs: 4000 });
});

const concurrency = 2;
const delayMs = 1000;

/** A job that was submitted and neither ended nor withdrawn. */
type Open = { readonly job: RunJob; state: "waiting" | "running"; dueAtMs: number };

function performJobs(held: HeldCalls): Scene {
  const engine = new LocalEngine();
  const open = new Map<string, Open>();
  const running = new Set<string>();
  let reserved = 0;
  let serving: Serving | undefined;
  let isDraining = false;
  let runs = 0;
  const perform = async (job: RunJob, signal: AbortSignal): Promise<void | { againInMs: number }> => {
    const own = open.get(job.runId);
    held.check(own?.state === "waiting", "a job is performed twice, or after it was withdrawn");
    held.check(!isDraining, "a job begins while the engine drains");
    held.check(own === undefined || Date.now() >= own.dueAtMs, "a job is performed before its time");
    if (own !== undefined) own.state = "running";
    running.add(job.runId);
    let again = false;
    try {
      await held.hold(`the work of ${job.runId}`, () => undefined, { signal });
    } catch {
      // Half of those that fail are handed back.
      again = true;
    }
    running.delete(job.runId);
    if (own === undefined) return undefined;
    if (signal.aborted || again)
      Object.assign(own, { state: "waiting", dueAtMs: signal.aborted ? 0 : Date.now() + delayMs });
    else open.delete(job.runId);
    return again ? { againInMs: delayMs } : undefined;
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
    await own.drain(graceMs);
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
      "drain at once": async () => await drain(0),
      "reserve and submit": async () => await reserve(true),
      "reserve and release": async () => await reserve(false),
    },
    always: () => {
      expect(running.size, "jobs at once").toBeLessThanOrEqual(concurrency);
      const isDue = ({ state, dueAtMs }: Open): boolean => state === "waiting" && dueAtMs < Date.now();
      const hasPlace = serving !== undefined && !isDraining && running.size + reserved < concurrency;
      expect(hasPlace ? [...open.values()].filter(isDue) : [], "jobs that wait beside a free place").toEqual([]);
    },
    end: async () => {
      if (serving === undefined && !isDraining) await serve();
    },
    again: async () => {
      if (serving === undefined) await serve();
      await submit();
    },
    afterwards: async () => {
      expect([...open.values()]).toEqual([]);
      expect(await engine.waiting()).toBe(0);
      await engine.close();
    },
  };
}
