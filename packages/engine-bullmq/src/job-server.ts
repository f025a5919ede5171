import type { PostponedJob, Perform, RunJob } from "@troupe/core/runs";
import { TroupeError } from "@troupe/core";
import { withTimeout } from "@troupe/core/kit";
import type { Job, Queue, Worker } from "bullmq";
import type { ClockGuard } from "./clock-guard.ts";
import type { FailureLog } from "./engine-failure.ts";
import type { OpenQueue } from "./open-queue.ts";

/**
 * Milliseconds after which a job is retried whose run is already active here. It is promoted earlier when that run
 * ends.
 */
const postponeMs = 1000;
/**
 * The number of recoveries after which BullMQ would fail a job. It is so high that no job reaches it, because the run
 * log itself handles runs that crash their process.
 */
const anyNumber = 2 ** 31 - 1;
/** Milliseconds to give back jobs after the grace period, because an unreachable database would block forever. */
const giveBackMs = 5000;
/** Longest timer of Node in milliseconds: a longer timer fires at once. */
const longestTimerMs = 2 ** 31 - 1;
/**
 * BullMQ's error for a job whose lock it could not renew. BullMQ reports it in addition to the event
 * `lockRenewalFailed`.
 */
const lostLock = /^could not renew lock/;

/** Reasons with which the signals of jobs abort. */
const drained = new TroupeError("unavailable", "The process ends: the run goes on elsewhere, or after a restart.");
const lost = new TroupeError("unavailable", "This process lost its lock on the run, which goes on elsewhere.");

type Init = {
  perform: Perform;
  concurrency: number;
  queue: string;
  lockMs: number;
  log: FailureLog;
  /** Puts a job into the queue again, in case the queue has lost it. */
  submit: (job: RunJob) => Promise<void>;
};

type Running = {
  readonly id: string;
  readonly controller: AbortController;
  readonly postponed: Job[];
};

/** A worker of an engine: takes jobs, performs them, and gives back those that it cannot or must not perform. */
export class JobServer {
  readonly #init: Init;
  /** The jobs that this process performs now, by run id. */
  readonly #running = new Map<string, Running>();
  #worker: Worker | undefined;
  #closing: Promise<void> | undefined;
  #stopWatch: (() => void) | undefined;
  /** True while no jobs are taken because the clock is wrong. */
  isClockWrong = false;

  constructor(init: Init) {
    this.#init = init;
  }

  /**
   * Starts taking jobs. Rejects if the clock is wrong, the database is unreachable, or the server is drained in the
   * meantime.
   */
  async start(open: OpenQueue, guard: ClockGuard | undefined): Promise<void> {
    const { log } = this.#init;
    const wrong = await guard?.check();
    if (wrong !== undefined) throw wrong;
    await guard?.clearFutureChecks();
    this.#checkOpen();
    const worker = this.#makeWorker(open);
    this.#worker = worker;
    await worker.waitUntilReady();
    this.#checkOpen();
    void worker.run().catch((error: unknown) => log.warn("The worker of the engine failed.", error));
    this.#stopWatch = guard?.watch(() => this.#checkClock(guard));
  }

  /**
   * Stops taking jobs, and waits for active jobs. After `graceMs`, they are aborted and given back, if the database
   * accepts them within a few more seconds.
   */
  async drain(graceMs: number): Promise<void> {
    this.#stopWatch?.();
    this.#closing ??= this.#close();
    const waitMs = Math.min(graceMs, longestTimerMs - giveBackMs);
    const timer = setTimeout(() => {
      for (const { controller } of this.#running.values()) controller.abort(drained);
    }, waitMs);
    const onTimeout = () => {
      const reason = new Error(`That took more than ${giveBackMs} ms.`);
      this.#init.log.warn("Not all jobs were given back. They are taken over when their locks end.", reason);
    };
    try {
      await withTimeout(this.#closing, { timeoutMs: waitMs + giveBackMs, onTimeout });
    } finally {
      clearTimeout(timer);
    }
  }

  async #close(): Promise<void> {
    await this.#worker?.close();
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw drained;
  }

  #makeWorker({ backend, queue }: OpenQueue): Worker {
    const { concurrency, lockMs, log } = this.#init;
    const worker = backend.makeWorker(this.#init.queue, (job, token) => this.#process(job, token ?? ""), {
      concurrency,
      lockDuration: lockMs,
      // Locks are renewed three times per period. A process whose event loop is blocked for a second then still has a
      // second for the database.
      lockRenewTime: lockMs / 3,
      stalledInterval: lockMs / 3,
      maxStalledCount: anyNumber,
      runRetryDelay: 1000,
      // Seconds after which a worker looks for jobs by itself, in case a notification was lost.
      drainDelay: 1,
      autorun: false,
    });
    worker.on("error", (error) => {
      if (!lostLock.test(error.message)) log.warn("The worker of the engine failed.", error);
    });
    worker.on("lockRenewalFailed", (ids) => this.#lose(ids));
    worker.on("stalled", (id) => void this.#recover(queue, id));
    return worker;
  }

  async #checkClock(guard: ClockGuard): Promise<void> {
    const { log } = this.#init;
    try {
      const wrong = await guard.check();
      if (wrong !== undefined) log.error(`No more jobs are taken. ${wrong.message}`);
      if ((wrong !== undefined) !== this.isClockWrong) await this.#setClockWrong(wrong !== undefined);
      await guard.clearFutureChecks();
    } catch (error) {
      log.warn("The clock could not be compared with the database's.", error);
    }
  }

  async #setClockWrong(isWrong: boolean): Promise<void> {
    this.isClockWrong = isWrong;
    if (!isWrong) this.#init.log.info("The clock is right again: jobs are taken.");
    await (isWrong ? this.#worker?.pause(true) : this.#worker?.resume());
  }

  async #process(job: Job, token: string): Promise<void> {
    const task = job.data as RunJob;
    // A job may still be on its way when the process stops taking jobs. Such a job is given back.
    if (this.#closing !== undefined || this.isClockWrong) return await this.#giveBack(job, token);
    const other = this.#running.get(task.runId);
    if (other !== undefined) {
      other.postponed.push(job);
      return await this.#delay(job, token, postponeMs);
    }
    const running = { id: job.id ?? "", controller: new AbortController(), postponed: [] };
    this.#running.set(task.runId, running);
    const back = await this.#perform(task, running);
    const { signal } = running.controller;
    if (signal.reason === lost) return await this.#resubmit(task);
    if (signal.aborted) return await this.#giveBack(job, token);
    if (back !== undefined) await this.#delay(job, token, back.againInMs);
  }

  /** Performs a job. The performer handles its failures, which must not end the engine. */
  async #perform(task: RunJob, { controller, postponed }: Running): Promise<PostponedJob | undefined> {
    try {
      return (await this.#init.perform(task, controller.signal)) ?? undefined;
    } catch (error) {
      this.#init.log.warn("A job failed, and is taken as done.", error);
      return undefined;
    } finally {
      this.#running.delete(task.runId);
      // A failed promotion is ignored: the job no longer exists, or becomes due by itself.
      for (const job of postponed) void job.promote().catch(() => undefined);
    }
  }

  /** Aborts jobs that another process has taken, or that the queue has lost. */
  #lose(ids: readonly string[]): void {
    for (const running of this.#running.values()) {
      if (!ids.includes(running.id)) continue;
      running.controller.abort(lost);
      this.#init.log.warn("A job was aborted.", lost);
    }
  }

  /** Moves a recovered job before all others, because its run has already begun and its client waits. */
  async #recover(queue: Queue, id: string): Promise<void> {
    try {
      const job = await queue.getJob(id);
      await job?.changePriority({ priority: 0, lifo: true });
    } catch (error) {
      this.#init.log.warn("A recovered job could not be moved before the others.", error);
    }
  }

  async #resubmit(task: RunJob): Promise<never> {
    await this.#init.submit(task).catch((error: unknown) => {
      this.#init.log.warn("A lost job could not be submitted again. The sweep does it.", error);
    });
    throw movedTo("delayed");
  }

  async #giveBack(job: Job, token: string): Promise<never> {
    try {
      await job.changePriority({ priority: 0 });
      await job.moveToWait(token);
    } catch (error) {
      this.#init.log.warn("A job could not be given back. It is taken over when its lock ends.", error);
    }
    throw movedTo("waiting");
  }

  async #delay(job: Job, token: string, ms: number): Promise<never> {
    try {
      await job.moveToDelayed(Date.now() + Math.ceil(ms), token);
    } catch (error) {
      this.#init.log.warn("A job could not be put off. It is taken over when its lock ends.", error);
    }
    throw movedTo("delayed");
  }
}

/** Returns the error that BullMQ recognises by its name: the job was already moved and is no longer active here. */
function movedTo(state: "delayed" | "waiting"): Error {
  const name = { delayed: "DelayedError", waiting: "WaitingError" }[state];
  return Object.assign(new Error("The job was given back."), { name });
}
