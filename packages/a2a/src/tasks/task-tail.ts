import { setTimeout as sleep } from "node:timers/promises";
import type { RunEvent, RunView } from "@troupe/core/runs";
import type { TaskRun } from "./task-runs.ts";

/** Milliseconds between two checks of a run that is about to wait or to end: the first interval and the longest. */
const looks = { firstMs: 2, lastMs: 1000 };

/** Returns true if a run waits for an answer or is over. */
function isSettled({ status }: RunView): boolean {
  return status !== "running" && status !== "queued";
}

/**
 * Follows the run of a task for one client: reads events until the run ends, the client disconnects, or a shutdown ends
 * the answer. The run itself continues.
 */
export class TaskTail {
  readonly task: TaskRun;
  readonly #left: AbortSignal;
  /** The number of the attempt at the run to which the events being read belong. */
  #attempt = 0;
  #paused: RunView | undefined;
  #isOver = false;

  /** `left` aborts when the client disconnects. */
  constructor(task: TaskRun, left: AbortSignal) {
    this.task = task;
    this.#left = left;
    this.task.run.follow();
    if (left.aborted) this.task.run.leave();
    else left.addEventListener("abort", this.task.run.leave, { once: true });
    // After an answer to one of several questions, the run continues to wait for the others without a new event in its
    // log.
    if ((task.view.waits ?? []).length > 1) void this.#watchWaits();
  }

  /** The run of a task that continues to wait for an answer, after which no events follow. Otherwise undefined. */
  get paused(): RunView | undefined {
    return this.#paused;
  }

  /**
   * Returns the next event of the run. Undefined after the last event, and once following was stopped, such as by a
   * disconnect.
   */
  async next(): Promise<RunEvent | undefined> {
    const event = await this.task.run.next();
    if (event?.type === "attempt") this.#attempt = event.attempt;
    return event;
  }

  /**
   * Waits until the run's record shows that the run waits for an answer or is over, because the model's other tool
   * calls may still be running before that. Returns undefined if the run continues because it was answered, or if the
   * client has disconnected.
   */
  async untilSettled(): Promise<RunView | undefined> {
    const isBehind = ({ attempts }: RunView): boolean => attempts > this.#attempt;
    const run = await this.#look((now) => isSettled(now) || isBehind(now));
    return run === undefined || !isSettled(run) ? undefined : run;
  }

  /**
   * Waits until the run's record shows the end that the run's log already contains. Returns undefined if the client has
   * disconnected.
   */
  async untilEnded(): Promise<RunView | undefined> {
    return await this.#look((now) => isSettled(now) && now.status !== "waiting");
  }

  /**
   * Waits until the run's record shows that the run is over or waits for a new answer. Returns undefined if the client
   * has disconnected.
   */
  async untilResting(): Promise<RunView | undefined> {
    const { attempts, waits } = this.task.view;
    const isNew = (now: RunView): boolean => now.status !== "waiting" || waits === undefined || now.attempts > attempts;
    return await this.#look((now) => isSettled(now) && isNew(now));
  }

  async #watchWaits(): Promise<void> {
    const { attempts } = this.task.view;
    const isNew = (now: RunView): boolean => isSettled(now) && now.attempts > attempts;
    // An outage of the storage is ignored here, because reading the events reports it. The record is read again.
    this.#paused = await this.#look(isNew, { isPatient: true });
    if (this.#paused?.status === "waiting") this.task.run.leave();
  }

  /** Reads the record of the run until it has the wanted state. `isPatient`: retries after a failed read. */
  async #look(isRight: (run: RunView) => boolean, { isPatient = false } = {}): Promise<RunView | undefined> {
    const left = this.#left;
    for (let ms = looks.firstMs; !left.aborted && !this.#isOver; ms = Math.min(2 * ms, looks.lastMs)) {
      const now = await this.task.run.view().catch((error: unknown) => {
        if (!isPatient) throw error;
      });
      if (now !== undefined && isRight(now)) return now;
      await sleep(ms, undefined, { ref: false, signal: left }).catch(() => undefined);
    }
    return undefined;
  }

  /** Stops following the task's run. Must always be called. */
  end(): void {
    this.#isOver = true;
    this.#left.removeEventListener("abort", this.task.run.leave);
    this.task.run.end();
  }
}
