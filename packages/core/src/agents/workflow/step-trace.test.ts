import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readSteps } from "./steps.ts";
import { StepTrace, StepTraceEntry } from "./step-trace.ts";

const run = () => {};
const steps = readSteps([
  { name: "a", run },
  {
    name: "w",
    condition: () => true,
    steps: [
      { name: "b", run },
      { name: "c", run },
    ],
  },
  { name: "d", run },
]);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("StepTraceEntry", () => {
  it("measures the time from its making to its end", () => {
    const entry = new StepTraceEntry("a");
    vi.advanceTimersByTime(30);

    expect(entry.end("completed")).toEqual({ status: "completed", durationMs: 30 });
    vi.advanceTimersByTime(30);
    expect(entry.toResult()).toStrictEqual({ name: "a", status: "completed", durationMs: 30 });
  });

  it.each<[number | undefined, boolean, number]>([
    [undefined, false, 30],
    [undefined, true, 30],
    [100, false, 100],
    [100, true, 130],
    [0, true, 30],
    [0, false, 0],
  ])("adds the time that is stored, %s, to what it did itself: %s", (storedMs, isLive, durationMs) => {
    const entry = Object.assign(new StepTraceEntry("a"), { storedMs, isLive });
    vi.advanceTimersByTime(30);

    expect([entry.durationMs, entry.toResult().durationMs]).toEqual([durationMs, durationMs]);
  });

  it("counts as cancelled until it has an end", () => {
    const entry = new StepTraceEntry("a");
    vi.advanceTimersByTime(5);

    expect(entry.toResult()).toStrictEqual({ name: "a", status: "cancelled", durationMs: 5 });
    expect([entry.isShown, entry.step.isDurable]).toEqual([false, false]);
  });

  it("has the public form of the error, for a failed step alone", () => {
    const failed = new StepTraceEntry("a");
    failed.end("error", new TroupeError("timeout", "Too late."));
    const broken = new StepTraceEntry("a");
    broken.end("error", new Error("secret"));
    const cancelled = new StepTraceEntry("a");
    cancelled.end("cancelled", new TroupeError("cancelled", "Stopped."));

    expect(failed.toResult()).toMatchObject({ status: "error", error: { code: "timeout", message: "Too late." } });
    expect(broken.toResult()).toMatchObject({ status: "error", error: { code: "internal" } });
    expect(JSON.stringify(broken.toResult())).not.toContain("secret");
    expect(cancelled.toResult()).toStrictEqual({ name: "a", status: "cancelled", durationMs: 0 });
  });

  it.each([null, "", 0, { a: 1 }])("has the output %j", (output) => {
    const entry = Object.assign(new StepTraceEntry("a"), { output });
    entry.end("completed");

    expect(entry.toResult()).toStrictEqual({ name: "a", status: "completed", durationMs: 0, output });
  });
});

describe("StepTrace", () => {
  it("returns the steps that were started, in the order in which they are written", () => {
    const trace = new StepTrace();
    for (const name of ["d", "c", "w"]) trace.start(name).end("completed");
    trace.start("a").end("skipped");

    expect(trace.toResults(steps).map(({ name, status }) => `${name} ${status}`)).toEqual([
      "a skipped",
      "w completed",
      "c completed",
      "d completed",
    ]);
    expect(new StepTrace().toResults(steps)).toEqual([]);
  });

  it("knows whose answer was shown", () => {
    const trace = new StepTrace();
    trace.start("a").isShown = true;
    trace.start("b");

    expect(["a", "b", "c"].map((name) => trace.isShown(name))).toEqual([true, false, false]);
  });

  it("keeps the last entry of a step that was started again", () => {
    const trace = new StepTrace();
    trace.start("a").end("error", new Error("x"));
    trace.start("a").end("completed");

    expect(trace.toResults(steps)).toStrictEqual([{ name: "a", status: "completed", durationMs: 0 }]);
  });
});
