import type { Job, Queue, Worker, WorkerOptions } from "bullmq";

/** What a worker does with a job: its result is not kept. */
type Process = (job: Job, token: string | undefined) => Promise<void>;

/** Options of a worker but its connection. */
type WorkerSettings = Omit<WorkerOptions, "connection" | "prefix">;

/** BullMQ's classes on the connections of an engine. */
export type Backend = {
  makeQueue(name: string): Queue;
  makeWorker(name: string, process: Process, settings: WorkerSettings): Worker;
  /** Returns the time of the database in epoch milliseconds, where the locks go by the clocks of the processes. */
  readonly databaseTime?: () => Promise<number>;
  /** Ends the connections. */
  end(): Promise<void>;
};
