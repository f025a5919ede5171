import { AsyncLocalStorage } from "node:async_hooks";
import { longestTimerMs } from "../../base/errors/option-checks.ts";
import { RankedHeap } from "../../base/util/ranked-heap.ts";
import type { RunJob } from "./run-engine.ts";

/**
 * A waiting job. Among jobs of equal priority the lower number goes first. `since` is the time in epoch milliseconds
 * from which the job could be performed. `inContext` calls a function in the context (`AsyncLocalStorage`) in which the
 * job was added.
 */
type Waiting = {
  readonly job: RunJob;
  readonly number: number;
  readonly since: number;
  readonly inContext: (work: () => void) => void;
  timer?: NodeJS.Timeout | undefined;
};

/** The priority of a job without a priority of its own. */
export const defaultPriority = 10;

/**
 * The waiting jobs of a `LocalEngine`, in the order in which they are performed. The first job is found at once,
 * however many jobs wait: a process may wake thousands of sleeping runs at one time.
 */
export class WaitingJobs {
  readonly #isRunning: (runId: string) => boolean;
  readonly #onDue: () => void;
  /** The waiting jobs by the ids of their runs, and then by the number of the run's activation. */
  readonly #byRun = new Map<string, Map<number, Waiting>>();
  /** The jobs that can begin: their time has come, and their run is not in progress. */
  readonly #ready = new RankedHeap<Waiting>(isBefore);
  #lastNumber = 0;
  #size = 0;

  /**
   * @param isRunning returns true if a job of the run is in progress
   * @param onDue called when the time of a delayed job has come
   */
  constructor(isRunning: (runId: string) => boolean, onDue: () => void) {
    this.#isRunning = isRunning;
    this.#onDue = onDue;
  }

  /** The number of jobs that wait, delayed jobs included. */
  get size(): number {
    return this.#size;
  }

  /** The first job by priority that can begin. */
  get first(): RunJob | undefined {
    return this.#ready.first?.job;
  }

  /** The earliest time from which a waiting job could be performed; undefined if only delayed jobs wait. */
  get since(): number | undefined {
    let first: number | undefined;
    for (const ofRun of this.#byRun.values()) {
      for (const { since, timer } of ofRun.values()) {
        if (timer === undefined && (first === undefined || since < first)) first = since;
      }
    }
    return first;
  }

  has({ runId, activation }: RunJob): boolean {
    return this.#byRun.get(runId)?.has(activation) === true;
  }

  /** Adds a job behind the jobs of equal priority. It replaces a waiting job of the same run and activation. */
  add(job: RunJob): void {
    this.remove(job);
    const since = Math.max(Date.now(), job.notBefore ?? 0);
    const waiting: Waiting = { job, number: ++this.#lastNumber, since, inContext: AsyncLocalStorage.snapshot() };
    const ofRun = this.#byRun.get(job.runId) ?? new Map<number, Waiting>();
    this.#byRun.set(job.runId, ofRun.set(job.activation, waiting));
    this.#size++;
    this.#offer(waiting);
  }

  remove({ runId, activation }: RunJob): void {
    const ofRun = this.#byRun.get(runId);
    const waiting = ofRun?.get(activation);
    if (ofRun === undefined || waiting === undefined) return;
    clearTimeout(waiting.timer);
    this.#ready.delete(waiting);
    ofRun.delete(activation);
    if (ofRun.size === 0) this.#byRun.delete(runId);
    this.#size--;
  }

  /**
   * Calls a function in the context in which a job was added, because the job of another caller may free its place.
   */
  inContext({ runId, activation }: RunJob, work: () => void): void {
    const waiting = this.#byRun.get(runId)?.get(activation);
    if (waiting === undefined) work();
    else waiting.inContext(work);
  }

  /** Removes all jobs of a run. */
  removeRun(runId: string): void {
    for (const { job } of this.#byRun.get(runId)?.values() ?? []) this.remove(job);
  }

  clear(): void {
    for (const runId of this.#byRun.keys()) this.removeRun(runId);
  }

  /** Sorts the jobs of a run again, after a job of the run has begun or ended. */
  updateRun(runId: string): void {
    for (const waiting of this.#byRun.get(runId)?.values() ?? []) this.#offer(waiting);
  }

  /**
   * Lets a job begin, unless its run is in progress or its time has not come. The timer of a delayed job does not keep
   * the process alive, because the run is in the storage.
   */
  #offer(waiting: Waiting): void {
    const { job, timer } = waiting;
    const { notBefore = 0, runId } = job;
    if (timer !== undefined) return;
    const delayMs = notBefore - Date.now();
    if (delayMs > 0) {
      // A delay that is too long for one timer continues with another timer.
      waiting.timer = setTimeout(() => this.#onTime(waiting), Math.min(delayMs, longestTimerMs)).unref();
    } else if (this.#isRunning(runId)) this.#ready.delete(waiting);
    else this.#ready.update(waiting);
  }

  #onTime(waiting: Waiting): void {
    waiting.timer = undefined;
    this.#offer(waiting);
    this.#onDue();
  }
}

function isBefore(one: Waiting, other: Waiting): boolean {
  const [left, right] = [one.job.priority ?? defaultPriority, other.job.priority ?? defaultPriority];
  return left === right ? one.number < other.number : left < right;
}
