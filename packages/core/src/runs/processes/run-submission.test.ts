import { describe, expect, it } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { newRecord } from "../record/test/run-records.ts";
import { LocalEngine } from "./local-engine.ts";
import type { RunJob } from "./run-engine.ts";
import { RunSubmission } from "./run-sweep.ts";

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

  it("is told to the operator where the engine does not take it, and to no one else", async () => {
    const { submission, told } = submitting(() => Promise.reject(new Error("No place.")));
    const record = newRecord({ runId: "r", createdAt: 1 });
    await submission.submit(record);
    const entry = {
      level: "warn",
      message: "The engine did not take a run. It is submitted again.",
      runId: "r",
      error: { message: "No place." },
    };
    expect(told()).toMatchObject([entry]);
  });
});
