import { isOver } from "./run-tree.ts";
import type { UnfoldedRun, OpenStep, NodeStatus, TreeStep } from "./run-tree.ts";
import { inspectorStrings } from "../strings/inspector-strings.ts";

/** Returns the status of a step: from its end or, if it has none, from the status of the run and of its child steps. */
export function statusOf(run: UnfoldedRun, step: OpenStep, children: readonly TreeStep[]): NodeStatus {
  return endedStatus(step) ?? unfinishedStatus(run, step, children);
}

function endedStatus(step: OpenStep): NodeStatus | undefined {
  const { done, containerEnd, stepStatus } = step;
  if (done?.facts.isRepeated === true) return "repeated";
  if (done?.facts.error !== undefined) return "failed";
  if (containerEnd !== undefined) return "completed";
  if (stepStatus !== undefined) return ofStream[stepStatus];
  if (done === undefined || hasSteps(step)) return undefined;
  return isLastCheck(step) ? "skipped" : "completed";
}

/** The statuses of workflow steps, by their names in the stream of a run. */
const ofStream: Readonly<Record<string, NodeStatus>> = {
  completed: "completed",
  skipped: "skipped",
  cancelled: "cancelled",
  error: "failed",
};

function unfinishedStatus(run: UnfoldedRun, { isLeft }: OpenStep, children: readonly TreeStep[]): NodeStatus {
  if (run.end !== undefined || isOver(run.details.run)) {
    return run.end?.error?.code === "cancelled" ? "cancelled" : "interrupted";
  }
  if (isLeft === true && children.length === 0) return "interrupted";
  const has = (status: NodeStatus) => children.some((child) => child.status === status);
  return has("waiting") && !has("running") ? "waiting" : "running";
}

/** Kinds of workflow steps that contain steps. Such a step is not over when its result is stored. */
const kindsWithSteps: ReadonlySet<string> = new Set(["parallel", "condition", "choose", "loop", "forEach"]);

/**
 * Returns true if a workflow step, or a round of a loop, contains steps that run. A condition that is false contains no
 * such steps.
 */
function hasSteps({ part, done, declared }: OpenStep): boolean {
  const { kind = "" } = declared ?? {};
  const isFalse = done?.facts.output === false;
  if (part.kind === "part") return kind === "loop" && !isFalse;
  return part.kind === "step" && kindsWithSteps.has(kind) && !(kind === "condition" && isFalse);
}

/** Returns true for the check of a condition that has ended a loop, before another round. */
function isLastCheck({ part, done, declared, children }: OpenStep): boolean {
  return part.kind === "part" && declared?.kind === "loop" && done?.facts.output === false && children.length === 0;
}

/** The times of a step in the tree of a run. */
type StepTimes = Pick<TreeStep, "startMs" | "isStartEstimated" | "endMs" | "durationMs">;

/** Returns the start and end of a step, if the log contains them. A step starts no later than its child steps. */
export function timesOf(step: OpenStep, children: readonly TreeStep[], status: NodeStatus): StepTimes {
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

/**
 * Returns the milliseconds for which a step worked. For a step with child steps, the log contains only the duration of
 * the last attempt. The time between start and end, minus the waits, is used instead.
 */
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

function isOpen(status: NodeStatus): boolean {
  return status === "running" || status === "waiting" || status === "interrupted";
}

/** Returns the duration of a step. For a step with child steps, it is the duration in the step's end event. */
function lengthOf({ containerEnd }: OpenStep, end: OpenStep["done"]): number | undefined {
  const stored = containerEnd?.facts.output;
  return typeof stored === "number" ? stored : end?.durationMs;
}

/**
 * Makes the tree's node for a question that a step asked. The question ends when the step continues or the run ends.
 */
export function finishWait(run: UnfoldedRun, step: OpenStep, wait: NonNullable<OpenStep["wait"]>): TreeStep {
  const startMs = wait.askedAt ?? step.seenMs;
  const endMs = waitEndOf(run, step);
  const length = endMs === undefined || startMs === undefined ? undefined : Math.max(0, endMs - startMs);
  return {
    key: step.part.key,
    kind: "wait",
    name: waitNames[wait.kind] ?? inspectorStrings.waitsForAnswer,
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

function waitEndOf({ end, details, clockMs }: UnfoldedRun, { isWaitOver, waitOverMs }: OpenStep): number | undefined {
  if (isWaitOver !== true && end === undefined) return undefined;
  return waitOverMs ?? details.run.endedAt ?? clockMs;
}

const waitNames: Readonly<Record<string, string>> = {
  approval: inspectorStrings.waitsForApproval,
  input: inspectorStrings.waitsForResult,
  doubt: inspectorStrings.waitsForDoubt,
  upgrade: inspectorStrings.waitsForUpgrade,
  question: inspectorStrings.waitsForPerson,
  event: inspectorStrings.waitsForAnEvent,
  sleep: inspectorStrings.sleeps,
};
