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
export type PostponedJob = {
  /** Milliseconds after which the job is performed, an integer of at least 0. */
  readonly againInMs: number;
};

/**
 * Performs one job until the run ends, waits or was taken over. An aborted signal asks the function to return
 * immediately; the job then goes back to the queue, whatever the function returns.
 */
export type Perform = (job: RunJob, signal: AbortSignal) => Promise<void | PostponedJob>;

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
   * Returns the epoch milliseconds since which the longest-waiting job could have been performed; undefined if no such
   * job waits. Telemetry reads it. An engine without this method has no such figure.
   */
  waitingSince?(): Promise<number | undefined>;
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
