import type { WaitKind } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { isOwnFault } from "../call-tool.ts";
import { toResult } from "../tool-result.ts";
import type { EndedRun } from "../tool-result.ts";
import type { Task } from "./task-runs.ts";
import { describeWait, toInputRequest } from "./questions.ts";
import type { ElicitationRequest } from "./questions.ts";

/** The status of a task, the same in both revisions. */
type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

type TaskState = {
  readonly taskId: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
};

/** A task in revision 2025-11-25. */
export type LegacyTask = TaskState & { readonly ttl: number | null; readonly pollInterval?: number };

/** A task of the extension in revision 2026-07-28, without the fields that depend on its status. */
export type ModernTask = TaskState & { readonly ttlMs: number | null; readonly pollIntervalMs?: number };

/** The fields of a task that depend on its status in revision 2026-07-28. */
type TaskDetails = {
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string };
  readonly inputRequests?: Readonly<Record<string, ElicitationRequest>>;
};

/**
 * Milliseconds after which a client should poll again. They are longer for a waiting task, because a person takes
 * longer to answer than a model.
 */
const pollMs = { working: 1000, waiting: 5000 };

const internalError = -32_603;

/** Returns the task in the form of revision 2025-11-25. Every failed run is a failed task. */
export function toLegacyTask({ run }: Pick<Task, "run">): LegacyTask {
  const poll = pollOf(run);
  return {
    ...stateOf(run, run.status === "error" ? "failed" : statusOf(run)),
    ttl: ttlOf(run),
    ...(poll !== undefined && { pollInterval: poll }),
  };
}

/** Returns the task in the form of revision 2026-07-28, where `failed` means a fault of the service, not of the run. */
export function toModernTask({ run }: Pick<Task, "run">): ModernTask {
  const poll = pollOf(run);
  const status = run.status === "error" && isOwnFault(run.error?.code) ? "failed" : statusOf(run);
  return { ...stateOf(run, status), ttlMs: ttlOf(run), ...(poll !== undefined && { pollIntervalMs: poll }) };
}

/** Returns a task of revision 2026-07-28 with its result, its error, or the questions that this client can answer. */
export function toDetailedTask(
  task: Task,
  { maxMediaBytes, canAsk }: { maxMediaBytes: number; canAsk: boolean },
): ModernTask & TaskDetails {
  const shown = toModernTask(task);
  const { run } = task;
  switch (shown.status) {
    case "input_required":
      return { ...shown, inputRequests: canAsk ? questionsOf(run) : {} };
    case "completed":
      return { ...shown, result: toCallResult(task, maxMediaBytes) };
    case "failed":
      return { ...shown, error: { code: internalError, message: messageOf(run) } };
    default:
      return shown;
  }
}

/** Returns the result that a plain call of the tool would have returned, made from a finished run. */
export function toCallResult({ run }: Pick<Task, "run">, maxMediaBytes: number): CallToolResult {
  if (run.status !== "completed") return { content: [{ type: "text", text: messageOf(run) }], isError: true };
  const { runId, sessionId } = run;
  return toResult({ output: run.output as unknown as EndedRun["output"], runId, sessionId }, maxMediaBytes);
}

function stateOf(run: RunView, status: TaskStatus): TaskState {
  const { runId, createdAt, startedAt, endedAt } = run;
  const message = statusMessageOf(run);
  return {
    taskId: runId,
    status,
    ...(message !== undefined && { statusMessage: message }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(endedAt ?? startedAt ?? createdAt).toISOString(),
  };
}

const othersEnd: readonly WaitKind[] = ["upgrade", "event", "sleep"];

function statusOf({ status, waits = [] }: RunView): TaskStatus {
  if (status === "cancelled") return "cancelled";
  if (status === "completed" || status === "error") return "completed";
  // A wait that only the operator of the service, an event or time can end is not a question for the client.
  return status === "waiting" && waits.some(({ kind }) => !othersEnd.includes(kind)) ? "input_required" : "working";
}

function statusMessageOf(run: RunView): string | undefined {
  if (run.status === "waiting") return run.waits?.map(describeWait).join(" ");
  return run.status === "error" || run.status === "cancelled" ? messageOf(run) : undefined;
}

function messageOf({ error }: RunView): string {
  return error?.message ?? "The task was cancelled.";
}

function ttlOf({ createdAt, expiresAt }: RunView): number | null {
  return expiresAt === undefined ? null : expiresAt - createdAt;
}

function pollOf({ status, endedAt }: RunView): number | undefined {
  if (endedAt !== undefined) return undefined;
  return status === "waiting" ? pollMs.waiting : pollMs.working;
}

function questionsOf({ waits = [] }: RunView): Record<string, ElicitationRequest> {
  return Object.fromEntries(
    waits.flatMap((wait) => {
      const question = toInputRequest(wait);
      return question === undefined ? [] : [[wait.id, question]];
    }),
  );
}
