import type { Job, Queue, Worker, WorkerOptions } from "bullmq";

/** Performs a job. Its result is not kept. */
type Process = (job: Job, token: string | undefined) => Promise<void>;

/** Options of a worker but its connection. */
type WorkerSettings = Omit<WorkerOptions, "connection" | "prefix">;

/** The clock of a database whose locks go by the clocks of the processes. */
export type DatabaseClock = {
  /** Returns the time of the database in epoch milliseconds. */
  now(): Promise<number>;
  /**
   * Removes the times of the last look for expired locks that lie more than `toleranceMs` ahead of the database. BullMQ looks
   * for none before such a time, so that one process with a wrong clock would keep all others from it.
   */
  clearFutureChecks(queues: readonly string[], toleranceMs: number): Promise<void>;
};

/** BullMQ's classes on the connections of an engine. */
export type Backend = {
  makeQueue(name: string): Queue;
  makeWorker(name: string, process: Process, settings: WorkerSettings): Worker;
  readonly clock?: DatabaseClock;
  /** Ends the connections, and the commands that wait for them. Ending twice is safe. */
  end(): Promise<void>;
};
