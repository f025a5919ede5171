import type { SessionOwner } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { A2AError } from "../wire/a2a-error.ts";
import { TaskTail } from "./task-tail.ts";
import type { TaskRuns } from "./task-runs.ts";

/** A cancel that a client asks for. */
export type CancelRequest = {
  readonly id: string;
  readonly owner: SessionOwner;
  /** True if the cancel of a canceled task answers with the task again. */
  readonly cancelsAgain: boolean;
  /** Aborts when the client has left. */
  readonly left: AbortSignal;
};

/**
 * Cancels a task, on whatever process it is performed, and waits until it is over. Returns its run, or undefined when the client
 * has left before. A task that had ended, or ends otherwise, is `task-not-cancelable`.
 */
export async function cancelTask(
  runs: TaskRuns,
  { id, owner, cancelsAgain, left }: CancelRequest,
): Promise<RunView | undefined> {
  const task = await runs.find(id, owner);
  const { service, run } = task;
  if (run.status === "cancelled" && cancelsAgain) return run;
  const outcome = await service.cancel(run.runId, owner, "Cancelled on request.");
  if (outcome === "over") throw notCancelable();
  const tail = new TaskTail(runs, task, { owner, left });
  try {
    const ended = await tail.untilEnded();
    if (ended !== undefined && ended.status !== "cancelled") throw notCancelable();
    return ended;
  } finally {
    tail.end();
  }
}

function notCancelable(): A2AError {
  return new A2AError("task-not-cancelable", "The task is over: it cannot be cancelled any more.");
}
