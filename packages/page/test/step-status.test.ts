import { describe, expect, it } from "vitest";
import { child, doneWith, endWith, error, partOf, runWith, stepNamed, stepWith } from "./open-steps.ts";
import type { InspectedWait } from "../src/inspector/inspected-run.ts";
import type { NodeStatus, OpenStep, UnfoldedRun } from "../client/inspector/run-tree.ts";
import { finishWait, statusOf } from "../client/inspector/step-status.ts";

describe("statusOf", () => {
  it.each<[status: NodeStatus, fields: Partial<OpenStep>]>([
    ["repeated", { done: doneWith({ facts: { isRepeated: true, error } }), containerEnd: doneWith() }],
    ["failed", { done: doneWith({ facts: { error } }), containerEnd: doneWith() }],
    ["completed", { containerEnd: doneWith(), stepStatus: "cancelled" }],
    ["completed", { stepStatus: "completed" }],
    ["skipped", { stepStatus: "skipped", done: doneWith() }],
    ["cancelled", { stepStatus: "cancelled" }],
    ["failed", { stepStatus: "error" }],
    ["running", { stepStatus: "unknown" }],
    ["completed", { done: doneWith() }],
    ["completed", { ...stepNamed("plain"), done: doneWith() }],
    ["completed", { ...stepNamed("undeclared"), done: doneWith() }],
    ["running", { ...stepNamed("both"), done: doneWith() }],
    ["running", { ...stepNamed("maybe"), done: doneWith({ facts: { output: true } }) }],
    ["running", { ...stepNamed("maybe"), done: doneWith() }],
    ["completed", { ...stepNamed("maybe"), done: doneWith({ facts: { output: false } }) }],
    ["running", { ...stepNamed("pick"), done: doneWith({ facts: { output: "a" } }) }],
    ["running", { ...stepNamed("pick"), done: doneWith({ facts: { output: false } }) }],
    ["running", { ...stepNamed("each"), done: doneWith({ facts: { output: [1] } }) }],
    ["running", { ...stepNamed("again") }],
    ["completed", { ...stepNamed("again"), containerEnd: doneWith() }],
    ["completed", { ...partOf("each"), done: doneWith() }],
    ["running", { ...partOf("again"), done: doneWith({ facts: { output: true } }) }],
    ["skipped", { ...partOf("again"), done: doneWith({ facts: { output: false } }) }],
    ["completed", { ...partOf("again"), done: doneWith({ facts: { output: false } }), containerEnd: doneWith() }],
    ["completed", { ...partOf("again"), children: [stepWith()], done: doneWith({ facts: { output: false } }) }],
    ["completed", { part: { key: "m/0", kind: "model", name: "both" }, done: doneWith() }],
    ["running", {}],
    ["interrupted", { isLeft: true }],
    ["running", { isLeft: false }],
  ])("is %s for a step by its own events: row %#", (status, fields) => {
    expect(statusOf(runWith(), stepWith(fields), [])).toBe(status);
  });

  it.each<[expected: NodeStatus, children: NodeStatus[]]>([
    ["waiting", ["waiting"]],
    ["waiting", ["completed", "waiting"]],
    ["running", ["waiting", "running"]],
    ["running", ["completed"]],
  ])("is %s for an unfinished step with child steps that are %j", (expected, children) => {
    const steps = children.map((status) => child({ status }));

    expect(statusOf(runWith(), stepWith({ isLeft: true }), steps)).toBe(expected);
  });

  it.each<[expected: NodeStatus, run: UnfoldedRun]>([
    ["cancelled", runWith({}, { end: endWith({ code: "cancelled", message: "" }) })],
    ["interrupted", runWith({}, { end: endWith(error) })],
    ["interrupted", runWith({}, { end: endWith() })],
    ["interrupted", runWith({ status: "completed" })],
    ["interrupted", runWith({ status: "error" })],
    ["interrupted", runWith({ status: "cancelled" })],
    ["running", runWith({ status: "queued" })],
    ["running", runWith({ status: "waiting" })],
  ])("is %s for an unfinished step by the end of its run: row %#", (expected, run) => {
    expect(statusOf(run, stepWith(), [])).toBe(expected);
  });
});

describe("finishWait", () => {
  const asked = (fields: Partial<InspectedWait> = {}): InspectedWait => ({
    waitId: "w1",
    kind: "approval",
    about: { toolName: "pay" },
    ...fields,
  });

  it.each<[askedAt: number | undefined, seenMs: number | undefined, expected: object]>([
    [200, 100, { startMs: 200, durationMs: 300 }],
    [0, 100, { startMs: 0, durationMs: 500 }],
    [undefined, 100, { startMs: 100, durationMs: 400 }],
    [undefined, undefined, { startMs: undefined, durationMs: undefined }],
  ])("starts a question asked at %j and first seen at %j so: %j", (askedAt, seenMs, expected) => {
    const wait = asked(askedAt === undefined ? {} : { askedAt });
    const step = finishWait(runWith(), stepWith({ seenMs, isWaitOver: true, waitOverMs: 500 }), wait);

    expect(step).toMatchObject({ ...expected, endMs: 500 });
  });

  it("has the question with its status, and no end while the question is open", () => {
    const open = stepWith({ seenMs: 100, attempt: 2, waitOverMs: 300 });
    const wait = asked({ askedAt: 200 });

    expect(finishWait(runWith({ endedAt: 900 }, { clockMs: 800 }), open, wait)).toEqual({
      key: "t/0",
      kind: "wait",
      name: "Waits for approval",
      status: "waiting",
      attempt: 2,
      startMs: 200,
      endMs: undefined,
      durationMs: undefined,
      input: { toolName: "pay" },
      wait,
      children: [],
    });
  });

  it.each<[expected: [NodeStatus, number | undefined], run: UnfoldedRun, fields: Partial<OpenStep>]>([
    [["completed", 300], runWith({ endedAt: 900 }, { clockMs: 800 }), { isWaitOver: true, waitOverMs: 300 }],
    [["completed", 0], runWith({ endedAt: 900 }, { clockMs: 800 }), { isWaitOver: true, waitOverMs: 0 }],
    [["completed", 900], runWith({ endedAt: 900 }, { clockMs: 800 }), { isWaitOver: true }],
    [["completed", 800], runWith({}, { clockMs: 800 }), { isWaitOver: true }],
    [["completed", undefined], runWith(), { isWaitOver: true }],
    [["completed", 900], runWith({ endedAt: 900 }, { end: endWith() }), { isWaitOver: true }],
    [["cancelled", 900], runWith({ endedAt: 900 }, { end: endWith() }), {}],
    [["cancelled", 800], runWith({}, { end: endWith(), clockMs: 800 }), {}],
  ])("is %j for a question that is over: row %#", (expected, run, fields) => {
    const { status, endMs } = finishWait(run, stepWith(fields), asked());

    expect([status, endMs]).toEqual(expected);
  });

  it("has a duration of 0 if the question was over before it was asked by another clock", () => {
    const step = finishWait(runWith(), stepWith({ isWaitOver: true, waitOverMs: 100 }), asked({ askedAt: 200 }));

    expect(step.durationMs).toBe(0);
  });

  it.each([
    ["approval", "Waits for approval"],
    ["input", "Waits for a result from the client"],
    ["doubt", "Waits for word on whether the call happened"],
    ["upgrade", "Waits for the right release"],
    ["other", "Waits for an answer"],
  ])("names a question of kind %s %j", (kind, name) => {
    expect(finishWait(runWith(), stepWith(), asked({ kind })).name).toBe(name);
  });
});
