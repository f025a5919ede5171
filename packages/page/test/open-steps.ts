import type { OpenStep, TreeStep, UnfoldedRun } from "../client/inspector/run-tree.ts";

type Run = UnfoldedRun["details"]["run"];
type End = NonNullable<UnfoldedRun["end"]>;

export function runWith(run: Partial<Run> = {}, more: Partial<UnfoldedRun> = {}): UnfoldedRun {
  const record: Run = {
    runId: "r",
    kind: "workflow",
    name: "w",
    sessionId: "s",
    status: "running",
    createdAt: 1,
    attempts: 1,
    ...run,
  };
  const steps = [
    { name: "both", kind: "parallel" },
    { name: "maybe", kind: "condition" },
    { name: "plain", kind: "function" },
  ];
  const details = { run: record, steps };
  return { details, root: stepWith(), byKey: new Map(), attempts: [], clockMs: undefined, ...more };
}

export function stepWith(fields: Partial<OpenStep> = {}): OpenStep {
  const part = { key: "t/0", kind: "tool", name: "t" } as const;
  return {
    part,
    attempt: 1,
    seenMs: undefined,
    children: [],
    liveText: "",
    liveThinking: "",
    startedCalls: [],
    ...fields,
  };
}

export const stepNamed = (name: string) => ({ part: { key: `w/${name}`, kind: "step", name } }) as const;

export function doneWith(fields: Partial<NonNullable<OpenStep["done"]>> = {}): NonNullable<OpenStep["done"]> {
  return { type: "done", step: "t/0", facts: {}, durationMs: 5, ...fields };
}

/** The call of a tool, at a time if that is known. */
export function callAt(at: number | undefined): NonNullable<OpenStep["call"]> {
  return { type: "call", step: "t/0", toolName: "t", args: null, effect: "once", ...(at !== undefined && { at }) };
}

export function child(fields: Partial<TreeStep> = {}): TreeStep {
  return { key: "c", kind: "tool", name: "c", status: "completed", attempt: 1, children: [], ...fields };
}

export const waitFrom = (startMs: number | undefined, endMs: number | undefined) =>
  child({ kind: "wait", startMs, endMs });
export const endWith = (error?: End["error"]): End => ({ type: "end", output: null, ...(error && { error }) });
export const error = { code: "internal", message: "It failed." };
