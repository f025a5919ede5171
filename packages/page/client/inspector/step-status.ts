import { isOver } from "./run-tree.ts";
import type { OpenRun, OpenStep, StepStatus, TreeStep } from "./run-tree.ts";

/** Returns the status of a step, by its end or, without one, by that of the run and of the steps in it. */
export function statusOf(run: OpenRun, step: OpenStep, children: readonly TreeStep[]): StepStatus {
  return endedStatus(run, step) ?? unfinishedStatus(run, step, children);
}

function endedStatus(run: OpenRun, { done, containerEnd, stepStatus, part }: OpenStep): StepStatus | undefined {
  if (done?.facts.isRepeated === true) return "repeated";
  if (done?.facts.error !== undefined) return "failed";
  if (containerEnd !== undefined) return "completed";
  if (stepStatus !== undefined) return ofStream[stepStatus];
  return done !== undefined && !hasSteps(run, { done, part }) ? "completed" : undefined;
}

/** The status of a workflow step by its name in the stream of the run. */
const ofStream: Readonly<Record<string, StepStatus>> = {
  completed: "completed",
  skipped: "skipped",
  cancelled: "cancelled",
  error: "failed",
};

function unfinishedStatus(run: OpenRun, { isLeft }: OpenStep, children: readonly TreeStep[]): StepStatus {
  if (run.end !== undefined || isOver(run.details.run)) {
    return run.end?.error?.code === "cancelled" ? "cancelled" : "interrupted";
  }
  if (isLeft === true && children.length === 0) return "interrupted";
  const has = (status: StepStatus) => children.some((child) => child.status === status);
  return has("waiting") && !has("running") ? "waiting" : "running";
}

/** Tells if a step of a workflow is one with steps in it, whose own result is that of its condition. */
function hasSteps({ details }: OpenRun, { part, done }: Pick<OpenStep, "part" | "done">): boolean {
  if (part.kind !== "step") return false;
  const kind = details.steps?.find(({ name }) => name === part.name)?.kind;
  return kind === "parallel" || (kind === "condition" && done?.facts.output !== false);
}

/** The times of a step. */
type StepTimes = Pick<TreeStep, "startMs" | "isStartEstimated" | "endMs" | "durationMs">;

/** Returns when a step began and ended, as far as the log says that. It begins no later than the steps in it. */
export function timesOf(step: OpenStep, children: readonly TreeStep[], status: StepStatus): StepTimes {
  const end = step.containerEnd ?? step.done;
  const durationMs = lengthOf(step, end);
  const known = [startOf(end?.at, durationMs), step.call?.at, ...children.map(({ startMs }) => startMs)];
  const start = startTimes(
    known.filter((at) => at !== undefined),
    step.seenMs,
  );
  if (end === undefined || isOpen(status)) return start;
  const endMs = end.at === undefined ? undefined : Math.max(end.at, start.startMs ?? end.at);
  return { ...start, endMs, durationMs: workedMs({ ...start, endMs, durationMs }, children) };
}

/** Of a step with steps in it the log has how long its last attempt took: what counts is from its begin to its end. */
function workedMs({ startMs, endMs, durationMs }: StepTimes, children: readonly TreeStep[]): number | undefined {
  if (startMs === undefined || endMs === undefined || children.every(({ kind }) => kind === "wait")) return durationMs;
  const waits = waitsIn(children).toSorted((one, other) => one.from - other.from);
  let [waitedMs, until] = [0, startMs];
  for (const { from, to } of waits) {
    waitedMs += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return Math.max(0, endMs - startMs - waitedMs);
}

function waitsIn(steps: readonly TreeStep[]): { from: number; to: number }[] {
  return steps.flatMap(({ kind, startMs, endMs, children }) =>
    kind === "wait" && startMs !== undefined && endMs !== undefined
      ? [{ from: startMs, to: endMs }]
      : waitsIn(children),
  );
}

function startOf(endMs: number | undefined, durationMs: number | undefined): number | undefined {
  return endMs === undefined || durationMs === undefined ? undefined : endMs - durationMs;
}

function startTimes(known: readonly number[], seenMs: number | undefined): StepTimes {
  if (known.length > 0) return { startMs: Math.min(...known) };
  return seenMs === undefined ? {} : { startMs: seenMs, isStartEstimated: true };
}

function isOpen(status: StepStatus): boolean {
  return status === "running" || status === "waiting" || status === "interrupted";
}

/** A step with steps in it takes as long as its end says. */
function lengthOf({ containerEnd }: OpenStep, end: OpenStep["done"]): number | undefined {
  const stored = containerEnd?.facts.output;
  return typeof stored === "number" ? stored : end?.durationMs;
}

/** Finishes a question, which is over once its step goes on or the run ends. */
export function finishWait(run: OpenRun, step: OpenStep, wait: NonNullable<OpenStep["wait"]>): TreeStep {
  const startMs = wait.askedAt ?? step.seenMs;
  const endMs = waitEndOf(run, step);
  const length = endMs === undefined || startMs === undefined ? undefined : Math.max(0, endMs - startMs);
  return {
    key: step.part.key,
    kind: "wait",
    name: waitNames[wait.kind] ?? "Waits for an answer",
    status: step.isWaitOver === true ? "completed" : run.end === undefined ? "waiting" : "cancelled",
    attempt: step.attempt,
    startMs,
    endMs,
    durationMs: length,
    input: wait.about,
    wait,
    children: [],
  };
}

function waitEndOf({ end, details, clockMs }: OpenRun, { isWaitOver, waitOverMs }: OpenStep): number | undefined {
  if (isWaitOver !== true && end === undefined) return undefined;
  return waitOverMs ?? details.run.endedAt ?? clockMs;
}

const waitNames: Readonly<Record<string, string>> = {
  approval: "Waits for approval",
  input: "Waits for a result from the client",
  doubt: "Waits for word on whether the call happened",
  upgrade: "Waits for the right release",
};
