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
  const details = { run: record };
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

const declared = {
  both: { name: "both", kind: "parallel" },
  maybe: { name: "maybe", kind: "condition" },
  plain: { name: "plain", kind: "function" },
  pick: { name: "pick", kind: "choose" },
  each: { name: "each", kind: "forEach" },
  again: { name: "again", kind: "loop" },
} as const;

/** A workflow step; without a declaration if its name is not declared. */
export const stepNamed = (name: keyof typeof declared | "undeclared") => ({
  part: { key: `w/${name}`, kind: "step", name } as const,
  ...(name !== "undeclared" && { declared: declared[name] }),
});

/** A round or an item of a workflow step. */
export const partOf = (name: "each" | "again") =>
  ({ part: { key: `w/${name}/0`, kind: "part", name: "", index: 0 }, declared: declared[name] }) as const;

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
