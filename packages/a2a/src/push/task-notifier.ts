import type { RunView, SubscribedEvent } from "@troupe/core/runs";
import { toArtifacts, toMessage, toStatus, toTask } from "../tasks/task-view.ts";
import type { Dialect } from "../wire/dialect.ts";
import type { A2AEvent, A2ATask } from "../wire/task.ts";

/** An event of a task to notify receivers of, and the task at that time. */
export type TaskNotification = { readonly event: A2AEvent; readonly task: A2ATask };

/**
 * Returns the notifications for an event of a run: that the run starts to work, waits for its client, or ends, with its
 * artifacts. Pieces of text cause no notifications.
 */
export function toNotifications({ event, run, attempt }: SubscribedEvent, form: Dialect): readonly TaskNotification[] {
  if (event.type === "attempt") return [ofStatus(workingSince(run, event.at), form)];
  if (event.type === "end") return ofSettled(run, form);
  const { wait } = event;
  // The question was answered in the meantime, so the run no longer lists the other questions that it had at that time.
  if (run.status !== "waiting" || run.attempts > attempt) {
    return [ofStatus({ ...beforeEnd(run), status: "waiting", waits: [wait] }, form)];
  }
  // A run emits one event per pending question. The last event notifies of the task with all its questions.
  return run.waits?.at(-1)?.id === wait.id ? ofSettled(run, form) : [];
}

/** Returns the push notifications for a run that waits or is over. */
function ofSettled(run: RunView, form: Dialect): readonly TaskNotification[] {
  const { runId: taskId, sessionId: contextId, status } = run;
  const task = toTask(run, form);
  const message = toMessage(run);
  if (message !== undefined) return [{ event: { type: "message", message }, task }];
  const artifacts = status === "waiting" ? [] : toArtifacts(run);
  const events = artifacts.map((artifact) => {
    return { event: { type: "artifact", taskId, contextId, artifact, append: false, isLast: true } as const, task };
  });
  return [...events, ofStatus(run, form)];
}

function ofStatus(run: RunView, form: Dialect): TaskNotification {
  const { runId: taskId, sessionId: contextId } = run;
  const event = { type: "status", taskId, contextId, status: toStatus(run, form) } as const;
  return { event, task: toTask(run, form) };
}

/** Returns a run in the state that it had when an attempt began. */
function workingSince(run: RunView, at: number | undefined): RunView {
  const startedAt = at ?? run.startedAt ?? run.createdAt;
  return { ...beforeEnd(run), status: "running", startedAt };
}

function beforeEnd({ output: _output, error: _error, endedAt: _endedAt, waits: _waits, ...run }: RunView): RunView {
  return run;
}
