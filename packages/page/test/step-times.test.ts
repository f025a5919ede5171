import { describe, expect, it } from "vitest";
import { callAt, child, doneWith, stepWith, waitFrom } from "./open-steps.ts";
import type { NodeStatus, TreeStep } from "../client/inspector/run-tree.ts";
import { timesOf } from "../client/inspector/step-status.ts";

describe("timesOf", () => {
  const ended = (children: readonly TreeStep[]) =>
    timesOf(stepWith({ call: callAt(1000), done: doneWith({ at: 2000 }) }), children, "completed").durationMs;

  it.each<[what: string, waits: [from: number, to: number][], workedMs: number]>([
    [
      "one after the other",
      [
        [100, 200],
        [300, 500],
      ],
      700,
    ],
    [
      "in another order",
      [
        [300, 500],
        [100, 200],
      ],
      700,
    ],
    [
      "that touch",
      [
        [100, 200],
        [200, 300],
      ],
      800,
    ],
    [
      "that overlap",
      [
        [100, 300],
        [200, 400],
      ],
      700,
    ],
    [
      "the same twice",
      [
        [100, 300],
        [100, 300],
      ],
      800,
    ],
    [
      "of which one lies within another",
      [
        [100, 500],
        [200, 300],
      ],
      600,
    ],
    [
      "of which a third begins after the inner and before the end of the outer",
      [
        [100, 500],
        [200, 300],
        [400, 600],
      ],
      500,
    ],
    ["that end before the step starts", [[-200, -100]], 1000],
    ["that begin before the step starts", [[-200, 100]], 900],
    ["from start to end", [[0, 1000]], 0],
    ["that end after the step", [[0, 1500]], 0],
  ])("subtracts each moment of waits once: waits %s", (_what, waits, workedMs) => {
    const waiting = waits.map(([from, to]) => waitFrom(1000 + from, 1000 + to));
    const call = child({ startMs: 1000, endMs: 2000, children: waiting });

    expect(ended([call])).toBe(workedMs);
  });

  it("subtracts waits beside and inside child steps, and none that has no start or no end", () => {
    const inner = child({ startMs: 1000, endMs: 1900, children: [waitFrom(1100, 1200)] });
    const open = [waitFrom(1600, undefined), waitFrom(undefined, 1900)];

    expect(ended([child({ startMs: 1000, endMs: 1900, children: [inner] }), waitFrom(1300, 1500), ...open])).toBe(700);
  });

  it("takes the duration of the log for a step without child steps, and for one that only waited", () => {
    expect(ended([])).toBe(5);
    expect(ended([waitFrom(1100, 1200)])).toBe(5);
    expect(ended([child({ startMs: 1000, endMs: 1900 }), waitFrom(1100, 1200)])).toBe(900);
  });

  it("takes the duration of the log if the start or the end is unknown", () => {
    const done = doneWith();

    expect(timesOf(stepWith({ done }), [child({ startMs: 0 })], "completed")).toEqual({
      startMs: 0,
      endMs: undefined,
      durationMs: 5,
    });
    expect(timesOf(stepWith({ done }), [child()], "completed")).toEqual({ endMs: undefined, durationMs: 5 });
  });

  it.each<[what: string, fields: { call: number; end: number; child: number }, startMs: number]>([
    ["its call", { call: 100, end: 900, child: 200 }, 100],
    ["its end less its duration", { call: 300, end: 190, child: 200 }, 185],
    ["its first child step", { call: 300, end: 900, child: 200 }, 200],
    ["zero, if that is known", { call: 0, end: 900, child: 200 }, 0],
  ])("starts a step at the earliest known time: %s", (_what, { call, end, child: first }, startMs) => {
    const step = stepWith({ seenMs: 1, call: callAt(call), done: doneWith({ at: end }) });
    const times = timesOf(step, [child({ startMs: 400 }), child({ startMs: first }), child()], "completed");

    expect(times).toEqual({ startMs, endMs: end, durationMs: expect.any(Number) as number });
  });

  it("estimates the start by the time at which the step was seen only if no other is known", () => {
    expect(timesOf(stepWith({ seenMs: 0 }), [], "running")).toEqual({ startMs: 0, isStartEstimated: true });
    expect(timesOf(stepWith(), [], "running")).toEqual({});
    expect(timesOf(stepWith({ seenMs: 7 }), [child({ startMs: 9 })], "running")).toEqual({ startMs: 9 });
  });

  it("ends a step no earlier than it starts, by whichever clock", () => {
    const step = stepWith({ call: callAt(50), done: doneWith({ at: 20, durationMs: -40 }) });

    expect(timesOf(step, [child({ startMs: 60 })], "completed")).toMatchObject({ startMs: 50, endMs: 50 });
  });

  it.each<[status: NodeStatus, isOpen: boolean]>([
    ["running", true],
    ["waiting", true],
    ["interrupted", true],
    ["completed", false],
    ["failed", false],
    ["skipped", false],
    ["cancelled", false],
    ["repeated", false],
  ])("of a step that is %s has no end and no duration: %s", (status, isOpen) => {
    const times = timesOf(stepWith({ done: doneWith({ at: 20 }) }), [], status);

    expect(times).toEqual(isOpen ? { startMs: 15 } : { startMs: 15, endMs: 20, durationMs: 5 });
  });

  it("takes the end of a step with child steps from its own end event, with the duration stored there", () => {
    const containerEnd = doneWith({ at: 100, durationMs: 1, facts: { output: 40 } });
    const step = stepWith({ done: doneWith({ at: 50, durationMs: 2 }), containerEnd });

    expect(timesOf(step, [], "completed")).toEqual({ startMs: 60, endMs: 100, durationMs: 40 });
    expect(timesOf({ ...step, containerEnd: { ...containerEnd, facts: {} } }, [], "completed")).toEqual({
      startMs: 99,
      endMs: 100,
      durationMs: 1,
    });
  });
});
