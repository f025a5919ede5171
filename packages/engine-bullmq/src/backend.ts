import type { Job, Queue, Worker, WorkerOptions } from "bullmq";

/** Performs a job. Its return value is not stored. */
type Process = (job: Job, token: string | undefined) => Promise<void>;

/** Options of a worker, without its connection. */
type WorkerSettings = Omit<WorkerOptions, "connection" | "prefix">;

/** The clock of a database in which the clocks of the processes decide when a lock expires. */
export type DatabaseClock = {
  /** Returns the database's time in epoch milliseconds. */
  now(): Promise<number>;
  /**
   * Removes stored times of the last check for expired locks that are more than `toleranceMs` ahead of the database.
   * BullMQ makes no check before such a time, so a single process with a wrong clock would block the checks of all
   * others.
   */
  clearFutureChecks(queues: readonly string[], toleranceMs: number): Promise<void>;
};

/** BullMQ's classes on the connections of an engine. */
export type Backend = {
  makeQueue(name: string): Queue;
  makeWorker(name: string, process: Process, settings: WorkerSettings): Worker;
  readonly clock?: DatabaseClock;
  /** Ends the connections, and fails the commands that wait for them. Safe to call twice. */
  end(): Promise<void>;
};
