import { onTestFinished, vi } from "vitest";
import { LocalEngine } from "../local-engine.ts";
import type { PostponedJob, RunJob } from "../run-engine.ts";

/** The time at which an engine of `begin` is made, in epoch milliseconds. */
export const start = 1_000_000;
/** The first job of a run. */
export const job = (runId: string, more: Partial<RunJob> = {}): RunJob => ({ runId, activation: 1, ...more });
/** Lets all that is due happen. */
export const settle = async () => void (await vi.advanceTimersByTimeAsync(0));

/** Makes an engine at the time `start`, and notes its jobs: each goes on until it is ended or its signal aborts. */
export function begin() {
  vi.useFakeTimers({ now: start });
  onTestFinished(() => void vi.useRealTimers());
  const engine = new LocalEngine();
  const begun: string[] = [];
  const jobs: RunJob[] = [];
  const reasons: unknown[] = [];
  const ends = new Map<string, (back?: PostponedJob) => void>();
  const failures = new Map<string, (error: Error) => void>();
  const perform = async (given: RunJob, signal: AbortSignal): Promise<void | PostponedJob> => {
    begun.push(`${given.runId}_${given.activation}`);
    jobs.push(given);
    const work = Promise.withResolvers<void | PostponedJob>();
    ends.set(given.runId, work.resolve);
    failures.set(given.runId, work.reject);
    signal.addEventListener("abort", () => {
      reasons.push(signal.reason);
      work.resolve();
    });
    return await work.promise;
  };
  const serve = async (concurrency = 10) => await engine.serve(perform, { concurrency });
  const end = async (runId: string, back?: PostponedJob) => {
    ends.get(runId)?.(back);
    await settle();
  };
  const fail = async (runId: string) => {
    failures.get(runId)?.(new Error("This job fails."));
    await settle();
  };
  return { engine, begun, jobs, reasons, serve, end, fail };
}
