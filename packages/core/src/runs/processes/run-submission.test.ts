import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { newRecord } from "../record/test/run-records.ts";
import { LocalEngine } from "./run-engine.ts";
import type { RunJob } from "./run-engine.ts";
import { RunSubmission } from "./run-sweep.ts";

class CountingEngine extends LocalEngine {
  readonly submitted: string[] = [];

  override submit({ runId }: { runId: string }): Promise<void> {
    this.submitted.push(runId);
    return Promise.resolve();
  }
}

function begin() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const engine = new CountingEngine();
  const submission = new RunSubmission(engine, createLogger({ write: () => undefined }));
  const record = (runId: string) => newRecord({ runId, createdAt: 0 });
  return { engine, submission, record };
}

describe("runs that are submitted again", () => {
  it("come after their pauses, and at once without one", () => {
    const { engine, submission, record } = begin();
    submission.submitAgain(record("later"), 50);
    submission.submitAgain(record("now"), 0);

    expect(engine.submitted).toEqual(["now"]);
    vi.advanceTimersByTime(49);
    expect(engine.submitted).toEqual(["now"]);
    vi.advanceTimersByTime(1);
    expect(engine.submitted).toEqual(["now", "later"]);
  });

  it("are left to the sweep where a timer would be too long", () => {
    const { engine, submission, record } = begin();
    submission.submitAgain(record("longest"), 2 ** 31 - 1);
    submission.submitAgain(record("too long"), 2 ** 31);

    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(2 ** 31);
    expect(engine.submitted).toEqual(["longest"]);
  });

  it("come no more once that has ended, neither those in a pause nor new ones", () => {
    const { engine, submission, record } = begin();
    submission.submitAgain(record("before"), 50);
    submission.end();
    submission.submitAgain(record("after"), 50);

    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(engine.submitted).toEqual([]);
  });
});

describe("a run that is submitted", () => {
  const submitting = (submit: (job: RunJob) => Promise<void>) => {
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
    const jobs: RunJob[] = [];
    const engine = new LocalEngine();
    engine.submit = async (job) => {
      jobs.push(job);
      await submit(job);
    };
    const told = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    return { submission: new RunSubmission(engine, logger), jobs, told };
  };

  it("is a job with its id, activation and priority, and with its time where it has one", async () => {
    const { submission, jobs, told } = submitting(async () => undefined);
    const record = newRecord({ runId: "r", createdAt: 1, activation: 3, priority: 7 });
    await submission.submit(record);
    await submission.submit({ ...record, notBefore: 0 });
    expect(jobs).toStrictEqual([
      { runId: "r", activation: 3, priority: 7 },
      { runId: "r", activation: 3, priority: 7, notBefore: 0 },
    ]);
    expect(told()).toEqual([]);
  });

  it("is waited for until the engine has it", async () => {
    const taken = Promise.withResolvers<void>();
    const { submission } = submitting(() => taken.promise);
    let isOver = false;
    const submitted = submission.submit(newRecord({ runId: "r", createdAt: 1 })).then(() => (isOver = true));
    await new Promise(setImmediate);
    expect(isOver).toBe(false);
    taken.resolve();
    await submitted;
  });

  it("is told to the operator where the engine does not take it, at once or after a pause, and to no one else", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { submission, told } = submitting(() => Promise.reject(new Error("No place.")));
    const record = newRecord({ runId: "r", createdAt: 1 });
    await submission.submit(record);
    submission.submitAgain(record, 5);
    await vi.advanceTimersByTimeAsync(5);
    const entry = {
      level: "warn",
      message: "The engine did not take a run. It is submitted again.",
      runId: "r",
      error: { message: "No place." },
    };
    expect(told()).toMatchObject([entry, entry]);
  });

  it("does not keep the program running in its pause", () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const timers: NodeJS.Timeout[] = [];
    const { setTimeout } = globalThis;
    vi.stubGlobal("setTimeout", (act: () => void, ms?: number) => {
      const timer = setTimeout(act, ms);
      timers.push(timer);
      return timer;
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { submission } = submitting(async () => undefined);
    submission.submitAgain(newRecord({ runId: "r", createdAt: 1 }), 5);
    expect(timers.map((timer) => timer.hasRef())).toEqual([false]);
  });
});
