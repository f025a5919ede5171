/** A run to perform: all that an engine is given. No input, no key, no text. */
export type RunJob = {
  readonly runId: string;
  /** The number of times that the run was woken, with the first: a job of a higher one is another job. */
  readonly activation: number;
  /** Jobs with a lower number go first. @default 10 */
  readonly priority?: number;
  /** Epoch milliseconds before which the job is not performed. */
  readonly notBefore?: number;
};

/** Performs one job until the run ends, waits or was taken over. An aborted signal asks it to leave at once. */
export type Perform = (job: RunJob, signal: AbortSignal) => Promise<void>;

/** A process that takes jobs of an engine, until it is drained. */
export type Serving = {
  /**
   * Takes no more jobs, and resolves when those under way are over. After `graceMs` milliseconds their signals abort: such
   * a run goes on elsewhere, or when the service starts again.
   */
  drain(graceMs: number): Promise<void>;
};

/**
 * Distribution of durable runs: performs every submitted job at least once, on some live process. It may perform a job
 * twice, late, or forget it: the run log keeps attempts apart, and the sweep of `RunService` submits forgotten runs again.
 */
export interface RunEngine {
  /** Takes a job. One of the same run and activation that waits or is under way makes no difference. */
  submit(job: RunJob): Promise<void>;
  /** Removes the waiting jobs of a run. It may come too late. */
  withdraw(runId: string): Promise<void>;
  /** Begins to perform jobs, at most `concurrency` at a time, and never two of one run. */
  serve(perform: Perform, options: { concurrency: number }): Promise<Serving>;
  /** Returns the number of jobs that wait. */
  waiting(): Promise<number>;
  /** Releases what the engine holds. Closing twice is safe. */
  close(): Promise<void>;
}
