import type { SessionOwner } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { A2AError } from "../wire/a2a-error.ts";
import { TaskTail } from "./task-tail.ts";
import type { TaskRuns } from "./task-runs.ts";

/** A client's request to cancel a task. */
export type CancelRequest = {
  readonly id: string;
  readonly owner: SessionOwner;
  /** True if cancelling a task that is already cancelled returns the task; false if that is an error. */
  readonly cancelsAgain: boolean;
  /** Aborts when the client has disconnected. */
  readonly left: AbortSignal;
};

/**
 * Cancels a task, whichever process performs it, and waits until it is over. Returns its run, or undefined if the
 * client disconnects first. Throws `task-not-cancelable` if the task was already over (see `cancelsAgain`) or ends in
 * another way.
 */
export async function cancelTask(
  runs: TaskRuns,
  { id, owner, cancelsAgain, left }: CancelRequest,
): Promise<RunView | undefined> {
  const task = await runs.find(id, owner);
  const { run, view } = task;
  if (view.status === "cancelled" && cancelsAgain) return view;
  const outcome = await run.service.cancel(run.runId, owner, "Cancelled on request.");
  // If the run was still open when it was found, its record, which is read now, shows if a cancellation has ended it.
  if (outcome === "over" && wasOver(view)) throw notCancelable();
  const tail = new TaskTail(task, left);
  try {
    const ended = await tail.untilEnded();
    if (ended !== undefined && ended.status !== "cancelled") throw notCancelable();
    return ended;
  } finally {
    tail.end();
  }
}

function wasOver({ status }: RunView): boolean {
  return status !== "queued" && status !== "running" && status !== "waiting";
}

function notCancelable(): A2AError {
  return new A2AError("task-not-cancelable", "The task is over: it cannot be cancelled any more.");
}
