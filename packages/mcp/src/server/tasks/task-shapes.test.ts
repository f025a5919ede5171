import type { RunWait } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import { toCallResult, toDetailedTask, toLegacyTask, toModernTask } from "./task-shapes.ts";
import type { Task } from "./task-runs.ts";

const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
const output = { text: "Hi.", usage, toolCalls: [], runId: "r1", sessionId: "s1", status: "completed", durationMs: 5 };
const approval = { id: "t.0.0", kind: "approval", about: { toolName: "pay", args: { amount: 1 } } };
const upgrade = { id: "u", kind: "upgrade", about: {} };

const running = {
  runId: "r1",
  kind: "agent",
  name: "helper",
  sessionId: "s1",
  status: "running",
  createdAt: 1000,
  startedAt: 2000,
};
const ended = { ...running, endedAt: 3000 };
const failed = (code: string) => ({ ...ended, status: "error", error: { code, message: "It failed." } });
const at = (second: number) => `1970-01-01T00:00:0${second}.000Z`;
const times = (updated: number) => ({ taskId: "r1", createdAt: at(1), lastUpdatedAt: at(updated) });

const runOf = (run: object) => ({ run: run as unknown as RunView });
const waitsFor = "Waits for the approval of a call of pay.";
const upgradeText = "Waits until the service has again what the run needs.";
const cancelled = { code: "cancelled", message: "Cancelled by the client." };

type Shape = { status: string; statusMessage?: string };

const shapes: [string, object, Shape, number | undefined, number][] = [
  [
    "a run that waits for its turn",
    { ...running, status: "queued", startedAt: undefined },
    { status: "working" },
    1000,
    1,
  ],
  ["a run", running, { status: "working" }, 1000, 2],
  ["a run that has waited", { ...running, waits: [approval] }, { status: "working" }, 1000, 2],
  [
    "a run that waits for its client",
    { ...running, status: "waiting", waits: [upgrade, approval] },
    { status: "input_required", statusMessage: `${upgradeText} ${waitsFor}` },
    5000,
    2,
  ],
  [
    "a run that waits for its operator",
    { ...running, status: "waiting", waits: [upgrade] },
    { status: "working", statusMessage: upgradeText },
    5000,
    2,
  ],
  ["a run that waits for nobody", { ...running, status: "waiting" }, { status: "working" }, 5000, 2],
  ["a run that is over", { ...ended, status: "completed", output }, { status: "completed" }, undefined, 3],
  [
    "a run that was cancelled",
    { ...ended, status: "cancelled", error: cancelled },
    { status: "cancelled", statusMessage: "Cancelled by the client." },
    undefined,
    3,
  ],
  [
    "a run that was cancelled without a word",
    { ...ended, status: "cancelled" },
    { status: "cancelled", statusMessage: "The task was cancelled." },
    undefined,
    3,
  ],
];

describe("a task", () => {
  it.each(shapes)("is made of %s, for both revisions", (...[, run, shape, poll, updated]) => {
    expect(toLegacyTask(runOf(run))).toStrictEqual({
      ...times(updated),
      ...shape,
      ttl: null,
      ...(poll !== undefined && { pollInterval: poll }),
    });
    expect(toModernTask(runOf(run))).toStrictEqual({
      ...times(updated),
      ...shape,
      ttlMs: null,
      ...(poll !== undefined && { pollIntervalMs: poll }),
    });
  });

  it.each([
    ["model_failed", "completed"],
    ["timeout", "completed"],
    ["internal", "failed"],
    ["storage_unavailable", "failed"],
    ["crashed", "failed"],
  ])("a task of a run that failed with %s is failed, and %s in revision 2026-07-28", (code, status) => {
    const more = { ...times(3), statusMessage: "It failed." };
    expect(toLegacyTask(runOf(failed(code)))).toStrictEqual({ ...more, status: "failed", ttl: null });
    expect(toModernTask(runOf(failed(code)))).toStrictEqual({ ...more, status, ttlMs: null });
  });

  it("lives for the time from its begin to its end", () => {
    const run = runOf({ ...running, expiresAt: 61_000 });
    expect(toLegacyTask(run).ttl).toBe(60_000);
    expect(toModernTask(run).ttlMs).toBe(60_000);
    expect(toModernTask(runOf({ ...running, expiresAt: 1000 })).ttlMs).toBe(0);
  });
});

describe("a task of revision 2026-07-28 in detail", () => {
  const detailed = (run: object, canAsk = true) => {
    const {
      taskId: _1,
      createdAt: _2,
      lastUpdatedAt: _3,
      ttlMs: _4,
      pollIntervalMs: _5,
      ...rest
    } = toDetailedTask(runOf(run) as Task, { maxMediaBytes: 100, canAsk });
    return rest;
  };

  it("has its result", () => {
    expect(detailed({ ...ended, status: "completed", output })).toStrictEqual({
      status: "completed",
      result: {
        content: [{ type: "text", text: "Hi." }],
        structuredContent: { text: "Hi.", sessionId: "s1", runId: "r1", usage },
      },
    });
  });

  it("has the error of a run that failed as its result, and as its error where the service is at fault", () => {
    expect(detailed(failed("model_failed"))).toStrictEqual({
      status: "completed",
      statusMessage: "It failed.",
      result: { content: [{ type: "text", text: "It failed." }], isError: true },
    });
    expect(detailed(failed("internal"))).toStrictEqual({
      status: "failed",
      statusMessage: "It failed.",
      error: { code: -32_603, message: "It failed." },
    });
  });

  it("has the questions that a client can answer, and none for one that cannot", () => {
    const other = { ...approval, id: "t.0.1", kind: "input" };
    const run = { ...running, status: "waiting", waits: [approval, upgrade, other] };
    const shown = detailed(run);
    expect(Object.keys(shown.inputRequests ?? {})).toEqual(["t.0.0", "t.0.1"]);
    expect(shown.inputRequests?.["t.0.0"]).toStrictEqual({
      method: "elicitation/create",
      params: {
        mode: "form",
        message: 'May the assistant call pay with {"amount":1}?',
        requestedSchema: { type: "object", properties: {} },
      },
    });
    expect(detailed(run, false)).toMatchObject({ status: "input_required", inputRequests: {} });
    expect(Object.keys(detailed(run, false).inputRequests ?? {})).toEqual([]);
  });

  it.each([
    ["running", running],
    ["cancelled", { ...ended, status: "cancelled" }],
    ["waiting for its operator", { ...running, status: "waiting", waits: [upgrade] as RunWait[] }],
  ])("has nothing more while it is %s", (_, run) => {
    expect(Object.keys(detailed(run)).filter((name) => !name.startsWith("status"))).toEqual([]);
  });
});

describe("the result of a task", () => {
  const resultOf = (run: object, maxMediaBytes = 100) =>
    toCallResult(runOf({ ...ended, status: "completed", ...run }), maxMediaBytes);

  it.each([
    [[{ output: "first" }, { output: "last" }, {}], "last"],
    [[{ output: { a: 1 } }], '{"a":1}'],
    [[{ output: "" }], ""],
    [[{ output: null }], '{"n":5}'],
    [[{}], '{"n":5}'],
    [[], '{"n":5}'],
  ])("the result of a task of a workflow with the steps %j is %s", (steps, text) => {
    const state = { n: 5 };
    expect(resultOf({ kind: "workflow", output: { state, steps, usage } })).toStrictEqual({
      content: [{ type: "text", text }],
      structuredContent: { text, structured: state, sessionId: "s1", runId: "r1", usage },
    });
  });

  it("has images up to the bound", () => {
    const toolCalls = [{ result: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }];
    const run = { output: { ...output, toolCalls } };
    expect(resultOf(run, 4).content[1]).toStrictEqual({ type: "image", data: "aGk=", mimeType: "image/png" });
    expect(resultOf(run, 3).content[1]).toMatchObject({ type: "text" });
  });

  it.each([
    ["cancelled", cancelled, "Cancelled by the client."],
    ["cancelled", undefined, "The task was cancelled."],
    ["error", { code: "model_failed", message: "It failed." }, "It failed."],
  ])("the result of a task of one that is %s with the error %j is an error", (status, error, text) => {
    expect(resultOf({ status, error, output })).toStrictEqual({ content: [{ type: "text", text }], isError: true });
  });
});
