import { TroupeError } from "../../base/errors/troupe-error.ts";

/** A run to perform: the only data that an engine receives. It contains no input, key or text. */
export type RunJob = {
  readonly runId: string;
  /**
   * The number of times that the run was put into the queue. A job of the same run with another number is another job.
   */
  readonly activation: number;
  /** Priority of the job; lower numbers go first. @default 10 */
  readonly priority?: number;
  /** Epoch milliseconds before which the job is not performed. */
  readonly notBefore?: number;
};

/** A job that this process cannot or must not perform now. Any process performs the job after `againInMs`. */
export type HandedBack = {
  /** Milliseconds after which the job is performed, an integer of at least 0. */
  readonly againInMs: number;
};

/**
 * Performs one job until the run ends, waits or was taken over. An aborted signal asks the function to return
 * immediately; the job then goes back to the queue, whatever the function returns.
 */
export type Perform = (job: RunJob, signal: AbortSignal) => Promise<void | HandedBack>;

/** Options of `RunEngine.serve`. */
export type EngineServeOptions = {
  /** The number of jobs that this process performs at a time. */
  readonly concurrency: number;
};

/** A process that performs jobs of an engine, until it is drained. */
export type Serving = {
  /**
   * Starts no more jobs, and resolves when the running jobs are over. After `graceMs` milliseconds their signals abort,
   * and their jobs go back to the queue. Such a run continues in another process, or when the service starts again.
   */
  drain(graceMs: number): Promise<void>;
};

/**
 * Distribution of durable runs: performs each submitted job in some live process. It may perform a job twice, late, or
 * lose it in a crash. The run log keeps attempts apart, and the periodic sweep of `RunService` submits lost runs again.
 */
export interface RunEngine {
  /** Adds a job. A job with the same `runId` and `activation` that already waits or runs is not added again. */
  submit(job: RunJob): Promise<void>;
  /** Removes the waiting jobs of a run. A job that has begun continues. */
  withdraw(runId: string): Promise<void>;
  /** Begins to perform jobs, at most `concurrency` at a time, and never two of one run. */
  serve(perform: Perform, options: EngineServeOptions): Promise<Serving>;
  /** Returns the number of jobs that wait. */
  waiting(): Promise<number>;
  /**
   * Returns true while jobs are performed. Only an engine of one process has this method: no other process performs its
   * jobs. Without it the engine distributes jobs to several processes.
   */
  isServed?(): boolean;
  /**
   * Reserves one of the `concurrency` places for a run that is about to be submitted, so that the run begins at once.
   * Returns false if no place is free. Only an engine of one process has this method and `release`.
   */
  reserve?(runId: string, priority: number): boolean;
  /** Frees the place of a run that is not submitted after all. */
  release?(runId: string): void;
  /**
   * Returns true while the engine takes no jobs because the clock of this process is wrong. The process then begins no
   * runs of schedules either.
   */
  isClockWrong?(): boolean;
  /** Releases the resources of the engine. Closing twice is safe. */
  close(): Promise<void>;
}

/** A waiting job. Among jobs of equal priority the lower number goes first. */
type Waiting = { job: RunJob; number: number };

type Server = { perform: Perform; concurrency: number; controller: AbortController; isDraining: boolean };

const defaultPriority = 10;
/**
 * The priority number from which a job must leave a tenth of the engine's `concurrency` places free: that of a caller
 * with five open runs.
 */
const lowPriority = 15;
/** The share of the engine's `concurrency` places that is reserved for jobs of callers with fewer open runs. */
const keptPart = 1 / 10;
/** The maximum delay of a Node timer. A timer with a longer delay fires immediately. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * The engine of one process: a priority queue in memory, without installation. After a restart `RunService` submits all
 * unfinished runs again.
 */
export class LocalEngine implements RunEngine {
  /** The waiting jobs by `<run id>_<activation>`. */
  readonly #waiting = new Map<string, Waiting>();
  /** Jobs whose `notBefore` has not come, each with its timer. They are among the waiting jobs too. */
  readonly #delayed = new Map<string, NodeJS.Timeout>();
  /** The work in progress, by run id. Its promises never reject. */
  readonly #running = new Map<string, { name: string; work: Promise<void> }>();
  /** Runs that are about to be submitted and already have a place. */
  readonly #reserved = new Set<string>();
  #server: Server | undefined;
  #lastNumber = 0;
  #isClosed = false;

  async submit(job: RunJob): Promise<void> {
    if (this.#isClosed) throw new TroupeError("unavailable", "The engine was closed: it takes no more jobs.");
    const name = nameOf(job);
    if (this.#waiting.has(name) || this.#running.get(job.runId)?.name === name) return;
    if (this.#reserved.delete(job.runId) && this.#server?.isDraining === false) return this.#start(this.#server, job);
    this.#enqueue(job);
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
    for (const [name, { job }] of this.#waiting) if (job.runId === runId) this.#drop(name);
  }

  async serve(perform: Perform, { concurrency }: { concurrency: number }): Promise<Serving> {
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

  /** Returns true while `serve` has a function that performs the jobs. */
  isServed(): boolean {
    return this.#server?.isDraining === false;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#server !== undefined) await this.#drain(this.#server, 0);
    for (const name of this.#waiting.keys()) this.#drop(name);
  }

  /**
   * Delays a job until its `notBefore`. The timer does not keep the process alive, because the run is in the storage.
   */
  #delay(name: string, { notBefore = 0 }: RunJob): void {
    const ms = notBefore - Date.now();
    if (ms <= 0) return;
    // A delay that is too long for one timer continues with another timer.
    const timer = setTimeout(() => this.#onTime(name), Math.min(ms, longestTimerMs));
    timer.unref();
    this.#delayed.set(name, timer);
  }

  #onTime(name: string): void {
    this.#delayed.delete(name);
    const waiting = this.#waiting.get(name);
    if (waiting !== undefined) this.#delay(name, waiting.job);
    this.#take();
  }

  #drop(name: string): void {
    clearTimeout(this.#delayed.get(name));
    this.#delayed.delete(name);
    this.#waiting.delete(name);
  }

  #take(): void {
    const server = this.#server;
    if (server === undefined || server.isDraining) return;
    for (;;) {
      const next = this.#next();
      // If there is no place for the first job, there is none for the others, whose priorities are not better.
      if (next === undefined || !this.#hasPlace(server, next.job.priority)) return;
      this.#start(server, next.job);
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

  /** Returns the first job by priority whose run is not in progress. */
  #next(): Waiting | undefined {
    let first: Waiting | undefined;
    for (const [name, waiting] of this.#waiting) {
      if (this.#delayed.has(name) || this.#running.has(waiting.job.runId)) continue;
      if (first === undefined || isBefore(waiting, first)) first = waiting;
    }
    return first;
  }

  #start(server: Server, job: RunJob): void {
    const { runId } = job;
    const name = nameOf(job);
    this.#drop(name);
    this.#running.set(runId, { name, work: this.#perform(server, job) });
  }

  /** Performs a job. The function given to `serve` handles the job's failures, which must not end the engine. */
  async #perform({ perform, controller }: Server, job: RunJob): Promise<void> {
    // The work of a job is deferred, so that its submitter does not wait for it.
    await Promise.resolve();
    const back = await perform(job, controller.signal).catch(() => undefined);
    this.#running.delete(job.runId);
    if (controller.signal.aborted) this.#enqueue(job);
    else if (back !== undefined) this.#enqueue({ ...job, notBefore: Date.now() + back.againInMs });
    this.#take();
  }

  #enqueue(job: RunJob): void {
    const name = nameOf(job);
    this.#waiting.set(name, { job, number: ++this.#lastNumber });
    this.#delay(name, job);
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

function nameOf({ runId, activation }: RunJob): string {
  return `${runId}_${activation}`;
}

function isBefore(one: Waiting, other: Waiting): boolean {
  const [left, right] = [one.job.priority ?? defaultPriority, other.job.priority ?? defaultPriority];
  return left === right ? one.number < other.number : left < right;
}

function drained(): TroupeError {
  return new TroupeError("unavailable", "The process ends: the run goes on elsewhere, or after a restart.");
}
