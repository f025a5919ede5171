import { describe, expect, it } from "vitest";
import { planDue, setPaused, settleTime, withWake } from "./schedule-plan.ts";
import type { ScheduleRecord } from "./schedule-record.ts";
import { jitterOf } from "./schedule-times.ts";

const minuteMs = 60_000;

function record(more: Partial<ScheduleRecord> = {}): ScheduleRecord {
  const state = { createdAt: 0, anchor: 0, isPaused: false, next: minuteMs, pending: [], history: [] };
  const policies = { overlap: "skip", missed: "skip", maxMissed: 10, jitterMs: 0 } as const;
  const ids = { id: "daily", owner: {}, mark: "m", creation: "c", wakeAt: minuteMs } as const;
  const request = { kind: "agent", name: "a" } as const;
  return { v: 1, everyMs: minuteMs, ...ids, ...state, ...policies, request, ...more } as ScheduleRecord;
}

describe("the plan of due times", () => {
  it("counts the lateness of a time from its jitter", () => {
    const jitterMs = 30 * minuteMs;
    const times = Array.from({ length: 60 }, (_, index) => (index + 1) * minuteMs);
    // The only due time whose jitter is longest, looked at when it becomes due.
    const next =
      times.toSorted(
        (one, other) => jitterOf({ id: "daily", jitterMs }, other) - jitterOf({ id: "daily", jitterMs }, one),
      )[0] ?? 0;
    const given = record({ jitterMs, next, everyMs: 24 * 60 * minuteMs, anchor: next - 24 * 60 * minuteMs });
    const dueAt = next + jitterOf(given, next);

    expect(planDue(given, dueAt - 1)).toBeUndefined();
    expect(planDue(given, dueAt)).toMatchObject({ pending: [next], next: next + 24 * 60 * minuteMs });
    expect(planDue(given, dueAt + minuteMs + 1)).toMatchObject({
      pending: [],
      history: [{ status: "missed", at: next }],
    });
  });

  it("settles times in their order, whatever their jitter", () => {
    const given = record({ jitterMs: 10 * minuteMs, missed: "all", maxMissed: 100, overlap: "queue" });
    let plan = given;
    for (let now = minuteMs; now <= 60 * minuteMs; now += 1000) plan = planDue(plan, now) ?? plan;

    expect(plan.pending).toEqual(plan.pending.toSorted((one, other) => one - other));
    expect(plan.pending).toEqual(Array.from({ length: plan.pending.length }, (_, index) => (index + 1) * minuteMs));
  });

  it("names the times before the last 200 as missed, too", () => {
    const plan = planDue(record({ everyMs: 1000, missed: "skip", next: 1000 }), 10 * minuteMs);

    expect(plan?.history.at(-1)).toMatchObject({ status: "missed", at: 1000 });
    expect(plan?.next).toBe(10 * minuteMs + 1000);
  });
});

describe("the settlement of a time", () => {
  const skipped = { status: "skipped", at: 5, settledAt: 6 } as const;

  it("counts as begun if its run has begun, although another process has skipped it", () => {
    const outcome = { status: "begun", runId: "r" } as const;
    const settled = settleTime(record({ history: [skipped] }), { at: 5, now: 7, outcome });

    expect(settled).toMatchObject({ lastRunId: "r", history: [{ status: "begun", at: 5, settledAt: 7, runId: "r" }] });
    expect(settled?.history).toHaveLength(1);
  });

  it("is changed by nothing else afterwards", () => {
    const begun = record({ history: [{ ...skipped, status: "begun" }] });

    expect(
      settleTime(record({ history: [skipped] }), { at: 5, now: 7, outcome: { status: "skipped" } }),
    ).toBeUndefined();
    expect(settleTime(begun, { at: 5, now: 7, outcome: { status: "begun", runId: "r" } })).toBeUndefined();
  });
});

it("a schedule that has ended is not paused, and one that is paused does not end", () => {
  const ended = record({ next: null, endedAt: 5 });

  expect(setPaused(ended, true, 9)).toBe(ended);
  expect(withWake(record({ next: null, isPaused: true }), 9)).not.toHaveProperty("endedAt");
  expect(withWake(record({ next: null, pending: [3] }), 9)).not.toHaveProperty("endedAt");
  expect(withWake(record({ next: null }), 9)).toMatchObject({ endedAt: 9 });
});
