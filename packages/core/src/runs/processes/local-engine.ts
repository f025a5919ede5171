import { longestTimerMs } from "../../base/errors/option-checks.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { EngineServeOptions, Perform, RunEngine, RunJob, Serving } from "./run-engine.ts";
import { defaultPriority, WaitingJobs } from "./waiting-jobs.ts";

type Server = { perform: Perform; concurrency: number; controller: AbortController; isDraining: boolean };

/**
 * The priority number from which a job must leave a tenth of the engine's `concurrency` places free: the priority of a
 * caller with five open runs.
 */
const lowPriority = 15;
/** The share of the engine's `concurrency` places that is reserved for jobs of callers with fewer open runs. */
const keptPart = 1 / 10;

/**
 * The engine of one process: a priority queue in memory, without installation. After a restart `RunService` submits all
 * unfinished runs again.
 */
export class LocalEngine implements RunEngine {
  /** The work in progress, by run id. Its promises never reject. */
  readonly #running = new Map<string, { activation: number; work: Promise<void> }>();
  readonly #waiting = new WaitingJobs(
    (runId) => this.#running.has(runId),
    () => this.#take(),
  );
  /** Runs that are about to be submitted and already have a place. */
  readonly #reserved = new Set<string>();
  #server: Server | undefined;
  #isClosed = false;

  async submit(job: RunJob): Promise<void> {
    if (this.#isClosed) throw new TroupeError("unavailable", "The engine was closed: it takes no more jobs.");
    if (this.#waiting.has(job) || this.#running.get(job.runId)?.activation === job.activation) return;
    if (this.#reserved.delete(job.runId) && this.#server?.isDraining === false) return this.#start(this.#server, job);
    this.#waiting.add(job);
    this.#take();
  }

  /**
   * Reserves a place for a run that is about to be submitted, so that it begins immediately. Returns false if all
   * places are taken, or `serve` was not called. `release` frees the place of a run that is not submitted after all.
   */
  reserve(runId: string, priority: number): boolean {
    if (this.#server === undefined || this.#server.isDraining || !this.#hasPlace(this.#server, priority)) return false;
    this.#reserved.add(runId);
    return true;
  }

  release(runId: string): void {
    if (this.#reserved.delete(runId)) this.#take();
  }

  async withdraw(runId: string): Promise<void> {
    this.#waiting.removeRun(runId);
  }

  async serve(perform: Perform, { concurrency }: EngineServeOptions): Promise<Serving> {
    if (this.#isClosed) throw new TroupeError("unavailable", "The engine was closed: it cannot serve any more.");
    if (this.#server !== undefined) {
      throw new TroupeError("conflict", "This engine is served already. Drain it first, or make another engine.");
    }
    const server: Server = { perform, concurrency, controller: new AbortController(), isDraining: false };
    this.#server = server;
    this.#take();
    return { drain: (graceMs) => this.#drain(server, graceMs) };
  }

  async waiting(): Promise<number> {
    return this.#waiting.size;
  }

  async waitingSince(): Promise<number | undefined> {
    return this.#waiting.since;
  }

  /** Returns true while `serve` has a function that performs the jobs. */
  isServed(): boolean {
    return this.#server?.isDraining === false;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#server !== undefined) await this.#drain(this.#server, 0);
    this.#waiting.clear();
  }

  #take(): void {
    const server = this.#server;
    if (server === undefined || server.isDraining) return;
    for (;;) {
      const job = this.#waiting.first;
      // If there is no place for the first job, there is no place for the other jobs, whose priorities are not better.
      if (job === undefined || !this.#hasPlace(server, job.priority)) return;
      this.#waiting.inContext(job, () => this.#start(server, job));
    }
  }

  /**
   * Returns true if a job can begin. The last tenth of the places (at least one, if there are several) is for callers
   * with few open runs.
   */
  #hasPlace({ concurrency }: Server, priority = defaultPriority): boolean {
    const kept = priority < lowPriority || concurrency === 1 ? 0 : Math.ceil(concurrency * keptPart);
    return this.#running.size + this.#reserved.size < concurrency - kept;
  }

  #start(server: Server, job: RunJob): void {
    const { runId, activation } = job;
    this.#waiting.remove(job);
    this.#running.set(runId, { activation, work: this.#perform(server, job) });
    this.#waiting.updateRun(runId);
  }

  /** Performs a job. The function given to `serve` handles the job's failures, which must not end the engine. */
  async #perform({ perform, controller }: Server, job: RunJob): Promise<void> {
    // The work of a job is deferred, so that its submitter does not wait for it.
    await Promise.resolve();
    const back = await perform(job, controller.signal).catch(() => undefined);
    this.#running.delete(job.runId);
    this.#waiting.updateRun(job.runId);
    if (controller.signal.aborted) this.#waiting.add(job);
    else if (back !== undefined) this.#waiting.add({ ...job, notBefore: Date.now() + back.againInMs });
    this.#take();
  }

  async #drain(server: Server, graceMs: number): Promise<void> {
    // After a drain, `serve` may have been called again: the jobs in progress then belong to that call.
    if (this.#server !== server) return;
    server.isDraining = true;
    const works = Array.from(this.#running.values(), ({ work }) => work);
    const timer = setTimeout(() => server.controller.abort(drained()), Math.min(graceMs, longestTimerMs));
    await Promise.all(works);
    clearTimeout(timer);
    if (this.#server === server) this.#server = undefined;
  }
}

function drained(): TroupeError {
  return new TroupeError("unavailable", "The process ends: the run goes on elsewhere, or after a restart.");
}
