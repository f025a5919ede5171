import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createLogger } from "../log/logger.ts";
import { newRecord } from "../run-store/test/run-records.ts";
import { LocalEngine } from "./local-engine.ts";
import { RunSubmission } from "./run-submission.ts";

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
