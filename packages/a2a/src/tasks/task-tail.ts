import { setTimeout as sleep } from "node:timers/promises";
import type { SessionOwner } from "@troupe/core";
import type { RunEvent, RunView } from "@troupe/core/runs";
import type { ClientTail } from "@troupe/core/transport";
import type { TaskRun, TaskRuns } from "./task-runs.ts";

/** Milliseconds between the first two looks at a run that is about to wait or to be over, and between the last ones. */
const looks = { firstMs: 2, lastMs: 1000 };

/** Tells if a run waits for an answer or is over. */
function isSettled({ status }: RunView): boolean {
  return status !== "running" && status !== "queued";
}

/** The client that follows a task: its user, and a signal that aborts when it has left. */
export type TaskClient = { readonly owner: SessionOwner; readonly left: AbortSignal };

/**
 * A client that follows the run of a task: reads its events until the run ends, the client has left or a shutdown ends the answer.
 * The run goes on.
 */
export class TaskTail {
  readonly task: TaskRun;
  readonly #client: TaskClient;
  readonly #events: ClientTail;
  /** The attempt whose events are read. */
  #attempt = 0;
  #paused: RunView | undefined;
  #isOver = false;

  constructor(runs: TaskRuns, task: TaskRun, client: TaskClient) {
    this.task = task;
    this.#client = client;
    const { service, run } = task;
    this.#events = runs.served.follow({ service, runId: run.runId, kind: run.kind, caller: client.owner });
    const { left } = client;
    if (left.aborted) this.#events.leave();
    else left.addEventListener("abort", this.#events.leave, { once: true });
    // When one of several questions is answered, the run goes on and waits for the others again, of which its log says nothing.
    if ((run.waits ?? []).length > 1) void this.#watchWaits();
  }

  /** The run of a task that waits again for an answer that it has waited for before. There are no more events then. */
  get paused(): RunView | undefined {
    return this.#paused;
  }

  /** Returns the next event, or undefined behind the last one and when the client has left. */
  async next(): Promise<RunEvent | undefined> {
    const event = await this.#events.next();
    if (event?.type === "attempt") this.#attempt = event.attempt;
    return event;
  }

  /**
   * Waits until the run waits for an answer or is over, as its record says: other calls of the same round trip may be under way.
   * Returns undefined when it goes on, since it was answered, or when the client has left.
   */
  async untilSettled(): Promise<RunView | undefined> {
    const isBehind = ({ attempts }: RunView): boolean => attempts > this.#attempt;
    const run = await this.#look((now) => isSettled(now) || isBehind(now));
    return run === undefined || !isSettled(run) ? undefined : run;
  }

  /** Waits until the record of a run says that it is over, as its log does. Returns undefined when the client has left. */
  async untilEnded(): Promise<RunView | undefined> {
    return await this.#look((now) => isSettled(now) && now.status !== "waiting");
  }

  /** Waits until the run is over or waits for a new answer, as its record says. Returns undefined when the client has left. */
  async untilResting(): Promise<RunView | undefined> {
    const { attempts, waits } = this.task.run;
    const isNew = (now: RunView): boolean => now.status !== "waiting" || waits === undefined || now.attempts > attempts;
    return await this.#look((now) => isSettled(now) && isNew(now));
  }

  async #watchWaits(): Promise<void> {
    const { attempts } = this.task.run;
    const isNew = (now: RunView): boolean => isSettled(now) && now.attempts > attempts;
    // A storage may be away for a moment. If it stays away, the reader of the events is told.
    this.#paused = await this.#look(isNew, { isPatient: true });
    if (this.#paused?.status === "waiting") this.#events.leave();
  }

  /** Looks at the record of the run until it is as it should be. `isPatient`: looks again after a look that fails. */
  async #look(isRight: (run: RunView) => boolean, { isPatient = false } = {}): Promise<RunView | undefined> {
    const { service, run } = this.task;
    const { owner, left } = this.#client;
    for (let ms = looks.firstMs; !left.aborted && !this.#isOver; ms = Math.min(2 * ms, looks.lastMs)) {
      const now = await service.get(run.runId, owner).catch((error: unknown) => {
        if (!isPatient) throw error;
      });
      if (now !== undefined && isRight(now)) return now;
      await sleep(ms, undefined, { ref: false, signal: left }).catch(() => undefined);
    }
    return undefined;
  }

  /** Ends the following. Always call it. */
  end(): void {
    this.#isOver = true;
    this.#client.left.removeEventListener("abort", this.#events.leave);
    this.#events.end();
  }
}
