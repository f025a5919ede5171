import { TroupeError } from "@troupe/core";
import type { EngineServeOptions, Perform, RunEngine, RunJob, Serving } from "@troupe/core/runs";
import { closeInOrder, sleep, withTimeout } from "@troupe/core/kit";
import { readEngineOptions } from "./bullmq-options.ts";
import type { BullMqEngineOptions, EngineSettings } from "./bullmq-options.ts";
import { ClockGuard } from "./clock-guard.ts";
import { FailureLog, isPassing, toEngineFailure } from "./engine-failure.ts";
import { JobServer } from "./job-server.ts";
import { openQueue } from "./open-queue.ts";
import type { OpenQueue } from "./open-queue.ts";

const defaultPriority = 10;
/** Milliseconds for which a call of the engine tries to reach the database. */
const callMs = 5000;
const retryPauseMs = 200;
/** Milliseconds to wait until the connections have ended, which a database that hangs would never let happen. */
const endMs = 2000;
/** The number of jobs among which the longest-waiting one is looked for. */
const mostAged = 100;
/**
 * The activation numbers whose jobs are removed when a run is withdrawn; an activation is one entry of a run into the
 * queue. A run with more activations notices its withdrawal when it is performed.
 */
const withdrawnActivations = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/**
 * A run engine for several machines: BullMQ distributes the jobs over the service's own PostgreSQL or Redis. Any number
 * of processes can submit and serve jobs. If a process dies, its jobs go to another within seconds.
 */
export class BullMqEngine implements RunEngine {
  readonly #settings: EngineSettings;
  readonly #log: FailureLog;
  #open: Promise<OpenQueue> | undefined;
  #server: JobServer | undefined;
  readonly #closing = new AbortController();

  /**
   * Opens no connection yet: the first call connects, and creates BullMQ's tables in PostgreSQL if they do not exist.
   * Throws `invalid_config` for a wrong option.
   */
  constructor(options: BullMqEngineOptions) {
    this.#settings = readEngineOptions(options);
    this.#log = new FailureLog(this.#settings.logger);
  }

  async submit(job: RunJob): Promise<void> {
    const { runId, activation, priority = defaultPriority, notBefore = 0 } = job;
    await this.#use(async ({ queue }) => {
      await queue.add(
        "run",
        { runId, activation, priority },
        {
          jobId: nameOf(runId, activation),
          // Priority 0 precedes all others in BullMQ and is reserved for recovered jobs.
          priority: Math.max(0, priority) + 1,
          // As a delay, PostgreSQL accepts only an integer.
          delay: Math.max(0, Math.ceil(notBefore - Date.now())),
          removeOnComplete: true,
          removeOnFail: true,
        },
      );
    });
  }

  async withdraw(runId: string): Promise<void> {
    await this.#use(async ({ queue }) => {
      await Promise.all(withdrawnActivations.map((activation) => queue.remove(nameOf(runId, activation))));
    });
  }

  async waiting(): Promise<number> {
    return await this.#use(async ({ queue }) => {
      const counts = await queue.getJobCounts("waiting", "prioritized", "delayed");
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    });
  }

  /**
   * Returns the epoch milliseconds since which the longest-waiting of the next hundred jobs could have been performed.
   * More jobs are not read, because each job is a separate record.
   */
  async waitingSince(): Promise<number | undefined> {
    return await this.#use(async ({ queue }) => {
      const jobs = await queue.getJobs(["waiting", "prioritized"], 0, mostAged - 1, true);
      const times = jobs.map(({ timestamp, opts: { delay = 0 } }) => timestamp + delay);
      return times.length === 0 ? undefined : Math.min(...times);
    });
  }

  async serve(perform: Perform, { concurrency }: EngineServeOptions): Promise<Serving> {
    this.#checkOpen();
    if (this.#server !== undefined) {
      throw new TroupeError("conflict", "This engine is served already. Drain it first, or make another engine.");
    }
    const { queue, lockMs } = this.#settings;
    const submit = (job: RunJob) => this.submit(job);
    const init = { perform, concurrency, queue, lockMs, log: this.#log, submit };
    const server = new JobServer(init);
    this.#server = server;
    try {
      const open = await this.#use(async (opened) => opened);
      const start = server.start(open, this.#guard(open));
      await withTimeout(start, { timeoutMs: callMs, onTimeout: tooSlow });
    } catch (error) {
      await server.drain(0);
      this.#server = undefined;
      throw toEngineFailure(error);
    }
    return { drain: (graceMs) => this.#drain(server, graceMs) };
  }

  /** Returns true while this process takes no jobs because its clock differs from the database's. */
  isClockWrong(): boolean {
    return this.#server?.isClockWrong === true;
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new TroupeError("unavailable", "The engine was closed: it takes no more jobs."));
    const server = this.#server;
    await closeInOrder(
      () => server && this.#drain(server, 0),
      () => withTimeout(this.#end(), { timeoutMs: endMs, onTimeout: ignore }).catch(ignore),
    );
  }

  async #end(): Promise<void> {
    const open = await this.#open;
    await closeInOrder(
      () => open?.queue.close(),
      () => open?.backend.end(),
    );
  }

  async #drain(server: JobServer, graceMs: number): Promise<void> {
    await server.drain(graceMs);
    if (this.#server === server) this.#server = undefined;
  }

  #guard({ backend: { clock } }: OpenQueue): ClockGuard | undefined {
    const { now, lockMs, queue } = this.#settings;
    return clock && new ClockGuard({ clock, now, lockMs, queues: [queue] });
  }

  /** Calls `work` with the open queue, and again for a while if the connection is lost. */
  async #use<Result>(work: (open: OpenQueue) => Promise<Result>): Promise<Result> {
    // BullMQ is imported before the time limit starts: the import may take seconds on a busy machine, and does not show
    // that the database is slow.
    await import("bullmq");
    this.#checkOpen();
    const endsAt = performance.now() + callMs;
    for (;;) {
      const attempt = this.#opened().then(work);
      try {
        return await withTimeout(attempt, { timeoutMs: endsAt - performance.now(), onTimeout: tooSlow });
      } catch (error) {
        if (!isPassing(error) || performance.now() + retryPauseMs > endsAt) throw toEngineFailure(error);
        await sleep(retryPauseMs);
      }
    }
  }

  #opened(): Promise<OpenQueue> {
    const init = { log: this.#log, signal: this.#closing.signal };
    this.#open ??= openQueue(this.#settings, init).catch((error: unknown) => {
      this.#open = undefined;
      throw error;
    });
    return this.#open;
  }

  #checkOpen(): void {
    this.#closing.signal.throwIfAborted();
  }
}

/** Returns the id of a job in BullMQ, which does not allow colons. */
function nameOf(runId: string, activation: number): string {
  return `${encodeURIComponent(runId)}_${activation}`;
}

function tooSlow(): never {
  throw new TroupeError("storage_unavailable", `The queue of the engine did not answer within ${callMs} ms.`);
}

function ignore(): void {}
