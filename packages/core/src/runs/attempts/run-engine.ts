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

/** A job that this process cannot, or must not perform now: any process is to perform it again after that time. */
export type HandedBack = {
  /** Milliseconds after which the job is performed again, an integer from 0. */
  readonly againInMs: number;
};

/**
 * Performs one job until the run ends, waits or was taken over. An aborted signal asks it to leave at once: such a job goes
 * back to the queue, whatever it returns.
 */
export type Perform = (job: RunJob, signal: AbortSignal) => Promise<void | HandedBack>;

/**
 * Times at which something is due again and again. `cron`: an expression of five fields, or six with seconds first; it goes with
 * an IANA time zone, as that of the host is another on each node. `everyMs`: milliseconds from one time to the next.
 */
export type ScheduleTimes =
  | { readonly cron: string; readonly timeZone: string; readonly everyMs?: never }
  | { readonly everyMs: number; readonly cron?: never; readonly timeZone?: never };

/** Times by an id. */
export type Schedule = { readonly id: string } & ScheduleTimes;

/** Schedules of an engine. Each due time reaches one process that serves, or more than one after a failure. */
export interface Schedules {
  /** Stores the schedule, and replaces one with the same id. */
  put(schedule: Schedule): Promise<void>;
  /** Removes a schedule. Removing an absent one is not an error. */
  remove(id: string): Promise<void>;
  list(): Promise<Schedule[]>;
}

/** Options of `RunEngine.serve`. */
export type EngineServeOptions = {
  /** The number of jobs that this process performs at a time. */
  readonly concurrency: number;
  /** Called at each time of a schedule, in epoch milliseconds. When it rejects, the engine calls it again. */
  readonly onSchedule?: (id: string, at: number) => Promise<void>;
};

/** A process that takes jobs of an engine, until it is drained. */
export type Serving = {
  /**
   * Takes no more jobs, and resolves when those under way are over. After `graceMs` milliseconds their signals abort, and
   * their jobs go back to the queue: such a run goes on elsewhere at once, or when the service starts again.
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
  serve(perform: Perform, options: EngineServeOptions): Promise<Serving>;
  /** Returns the number of jobs that wait. */
  waiting(): Promise<number>;
  /** The schedules, of an engine that has some. */
  readonly schedules?: Schedules;
  /** Releases what the engine holds. Closing twice is safe. */
  close(): Promise<void>;
}
