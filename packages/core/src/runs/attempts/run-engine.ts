/** A run to perform: the only data that an engine receives. It contains no input, key or text. */
export type RunJob = {
  readonly runId: string;
  /** The number of times that the run was woken, including the first. Another number is another job. */
  readonly activation: number;
  /** Priority of the job; lower numbers go first. @default 10 */
  readonly priority?: number;
  /** Epoch milliseconds before which the job is not performed. */
  readonly notBefore?: number;
};

/** A job that this process cannot or must not perform now. Any process performs it again after that time. */
export type HandedBack = {
  /** Milliseconds after which the job is performed again, an integer of at least 0. */
  readonly againInMs: number;
};

/**
 * Performs one job until the run ends, waits or was taken over. An aborted signal asks it to return immediately; such a
 * job goes back to the queue, whatever it returns.
 */
export type Perform = (job: RunJob, signal: AbortSignal) => Promise<void | HandedBack>;

/**
 * Recurring times. `cron`: an expression of five fields, or six with seconds first, with an IANA time zone, because
 * each host may have another zone. `everyMs`: milliseconds between two times.
 */
export type ScheduleTimes =
  | { readonly cron: string; readonly timeZone: string; readonly everyMs?: never }
  | { readonly everyMs: number; readonly cron?: never; readonly timeZone?: never };

/** Recurring times with an id. */
export type Schedule = { readonly id: string } & ScheduleTimes;

/** Schedules of an engine. Each due time reaches one serving process, or several after a failure. */
export interface Schedules {
  /** Stores the schedule, replacing a schedule with the same id. */
  put(schedule: Schedule): Promise<void>;
  /** Removes a schedule. Removing an absent schedule is not an error. */
  remove(id: string): Promise<void>;
  list(): Promise<Schedule[]>;
}

/** Options of `RunEngine.serve`. */
export type EngineServeOptions = {
  /** The number of jobs that this process performs at a time. */
  readonly concurrency: number;
  /** Called at each time of a schedule, in epoch milliseconds. If it rejects, the engine calls it again. */
  readonly onSchedule?: (id: string, at: number) => Promise<void>;
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
 * lose it in a crash. The run log keeps attempts apart, and the sweep of `RunService` submits lost runs again.
 */
export interface RunEngine {
  /** Adds a job. A job of the same run and activation that already waits or runs is not added again. */
  submit(job: RunJob): Promise<void>;
  /** Removes the waiting jobs of a run. It may be too late. */
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
   * Reserves a place for a run that is about to be submitted, so that it begins at once. Returns false if there is none.
   * Only an engine of one process has this method and `release`.
   */
  reserve?(runId: string, priority: number): boolean;
  /** Frees the place of a run that is not submitted after all. */
  release?(runId: string): void;
  /** The schedules, if the engine supports schedules. */
  readonly schedules?: Schedules;
  /** Releases the resources of the engine. Closing twice is safe. */
  close(): Promise<void>;
}
