import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent, RunService, RunView } from "@troupe/core/runs";
import { toArtifacts, toMessage, toStatus, toTask } from "../tasks/task-view.ts";
import type { Dialect } from "../wire/dialect.ts";
import type { A2AEvent, A2ATask } from "../wire/task.ts";

/** An event of a task to notify receivers of, and the task at that time. */
export type TaskNotification = { readonly event: A2AEvent; readonly task: A2ATask };

/** Milliseconds between two checks of a run that is about to wait or to end: the first interval and the longest. */
const looks = { firstMs: 2, lastMs: 1000 };

/** Returns true if a run waits for an answer or is over. */
export function isSettled({ status }: RunView): boolean {
  return status !== "running" && status !== "queued";
}

/**
 * Selects the events of a run that receivers are notified of: the run starts to work, waits for its client, or ends,
 * the end with its artifacts. Pieces of text cause no notifications.
 */
export class TaskNotifier {
  /** The number of the attempt at the run whose events are read. */
  attempt: number;
  readonly #service: RunService;
  readonly #runId: string;
  readonly #form: Dialect;
  readonly #stopped: AbortSignal;

  constructor(service: RunService, runId: string, init: { form: Dialect; attempt: number; stopped: AbortSignal }) {
    this.#service = service;
    this.#runId = runId;
    this.#form = init.form;
    this.attempt = init.attempt;
    this.#stopped = init.stopped;
  }

  /** Returns the push notifications for an event of the run; for most events, none. */
  async of(event: RunEvent): Promise<readonly TaskNotification[]> {
    switch (event.type) {
      case "attempt":
        this.attempt = event.attempt;
        return [this.#ofStatus(workingSince(await this.read(), event.at))];
      case "wait":
        return await this.#ofWait(event);
      case "end":
        return this.ofSettled(await this.untilSettled((run) => isSettled(run) && run.status !== "waiting"));
      default:
        return [];
    }
  }

  /** Returns the push notifications for a run that waits or is over. */
  ofSettled(run: RunView): readonly TaskNotification[] {
    const { runId: taskId, sessionId: contextId, status } = run;
    const message = toMessage(run);
    if (message !== undefined) return [{ event: { type: "message", message }, task: toTask(run, this.#form) }];
    const artifacts = status === "waiting" ? [] : toArtifacts(run);
    const task = toTask(run, this.#form);
    const events = artifacts.map((artifact) => {
      return { event: { type: "artifact", taskId, contextId, artifact, append: false, isLast: true } as const, task };
    });
    return [...events, this.#ofStatus(run)];
  }

  async read(): Promise<RunView> {
    return await this.#service.get(this.#runId, "host");
  }

  /** Reads the record of the run until it has the wanted state. Rejects when the delivery is stopped. */
  async untilSettled(isRight: (run: RunView) => boolean = isSettled): Promise<RunView> {
    for (let ms = looks.firstMs; ; ms = Math.min(2 * ms, looks.lastMs)) {
      const run = await this.read();
      if (isRight(run)) return run;
      await sleep(ms, undefined, { ref: false, signal: this.#stopped });
    }
  }

  /** A run emits one event per pending question. The last event notifies of the task with all its questions. */
  async #ofWait({ wait }: Extract<RunEvent, { type: "wait" }>): Promise<readonly TaskNotification[]> {
    const run = await this.untilSettled((now) => isSettled(now) || now.attempts > this.attempt);
    if (run.status !== "waiting") return [this.#ofStatus({ ...beforeEnd(run), status: "waiting", waits: [wait] })];
    return run.waits?.at(-1)?.id === wait.id ? this.ofSettled(run) : [];
  }

  #ofStatus(run: RunView): TaskNotification {
    const { runId: taskId, sessionId: contextId } = run;
    const event = { type: "status", taskId, contextId, status: toStatus(run, this.#form) } as const;
    return { event, task: toTask(run, this.#form) };
  }
}

/** Returns a run as it was when an attempt began. */
function workingSince(run: RunView, at: number | undefined): RunView {
  const startedAt = at ?? run.startedAt ?? run.createdAt;
  return { ...beforeEnd(run), status: "running", startedAt };
}

function beforeEnd({ output: _output, error: _error, endedAt: _endedAt, waits: _waits, ...run }: RunView): RunView {
  return run;
}
