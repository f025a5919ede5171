import type { EngineServeOptions, HandedBack, Perform, RunJob } from "@troupe/core/runs";
import { TroupeError } from "@troupe/core";
import { closeTogether, withTimeout } from "@troupe/core/kit";
import type { Job, Queue, Worker } from "bullmq";
import type { ClockGuard } from "./clock-guard.ts";
import type { FailureLog } from "./engine-failure.ts";
import type { OpenQueue } from "./open-queue.ts";
import { serveSchedules } from "./queue-schedules.ts";

/** Milliseconds after which a job is tried again whose run is under way here. It is promoted when that one is over. */
const postponeMs = 1000;
/** A number of takeovers that no job reaches: of runs that crash their process, the run log knows. */
const anyNumber = 2 ** 31 - 1;
/** Milliseconds for giving back jobs after the grace period: a database that is away would never take them. */
const giveBackMs = 5000;
/** The longest timer of Node: a longer one fires at once. */
const longestTimerMs = 2 ** 31 - 1;
/** Error of BullMQ for each job whose lock it could not renew, beside the event. */
const lostLock = /^could not renew lock/;

/** The reasons for which the signals of jobs abort. */
const drained = new TroupeError("unavailable", "The process ends: the run goes on elsewhere, or after a restart.");
const lost = new TroupeError("unavailable", "This process lost its lock on the run, which goes on elsewhere.");

type Init = {
  perform: Perform;
  concurrency: number;
  queue: string;
  lockMs: number;
  onSchedule: EngineServeOptions["onSchedule"];
  log: FailureLog;
  /** Puts a job into the queue that may have lost it. */
  submit: (job: RunJob) => Promise<void>;
};

type Running = {
  readonly id: string;
  readonly controller: AbortController;
  readonly postponed: Job[];
};

/** A worker of an engine: takes jobs, performs each, and gives back those that it cannot or must not perform. */
export class JobServer {
  readonly #init: Init;
  /** The jobs under way, by the run's id. */
  readonly #running = new Map<string, Running>();
  #worker: Worker | undefined;
  #schedules: Worker | undefined;
  #closing: Promise<void> | undefined;
  #stopWatch: (() => void) | undefined;
  /** True while no jobs are taken. */
  #isClockWrong = false;

  constructor(init: Init) {
    this.#init = init;
  }

  /** Begins to take jobs. Rejects when the clock is wrong, or the database is not there, or it is drained meanwhile. */
  async start(open: OpenQueue, guard: ClockGuard | undefined): Promise<void> {
    const { log, onSchedule, queue } = this.#init;
    const wrong = await guard?.check();
    if (wrong !== undefined) throw wrong;
    await guard?.clearFutureChecks();
    this.#checkOpen();
    const worker = this.#makeWorker(open);
    this.#worker = worker;
    await worker.waitUntilReady();
    this.#checkOpen();
    if (onSchedule !== undefined) {
      this.#schedules = serveSchedules(open, { queue, onSchedule, log });
      await this.#schedules.waitUntilReady();
      this.#checkOpen();
    }
    void worker.run().catch((error: unknown) => log.warn("The worker of the engine failed.", error));
    this.#stopWatch = guard?.watch(() => this.#checkClock(guard));
  }

  /**
   * Takes no more jobs, and waits for those under way; after `graceMs` they are aborted and given back, as far as the database
   * takes them in a few seconds more.
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
    await closeTogether(
      () => this.#worker?.close(),
      () => this.#schedules?.close(),
    );
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw drained;
  }

  #makeWorker({ backend, queue }: OpenQueue): Worker {
    const { concurrency, lockMs, log } = this.#init;
    const worker = backend.makeWorker(this.#init.queue, (job, token) => this.#process(job, token ?? ""), {
      concurrency,
      lockDuration: lockMs,
      // A process whose event loop is blocked for a second still has a second for the database.
      lockRenewTime: lockMs / 3,
      stalledInterval: lockMs / 3,
      maxStalledCount: anyNumber,
      runRetryDelay: 1000,
      // The time that a lost hint costs.
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
      if ((wrong !== undefined) !== this.#isClockWrong) await this.#setClockWrong(wrong !== undefined);
      await guard.clearFutureChecks();
    } catch (error) {
      log.warn("The clock could not be compared with the database's.", error);
    }
  }

  async #setClockWrong(isWrong: boolean): Promise<void> {
    this.#isClockWrong = isWrong;
    if (!isWrong) this.#init.log.info("The clock is right again: jobs are taken.");
    for (const worker of [this.#worker, this.#schedules]) await (isWrong ? worker?.pause(true) : worker?.resume());
  }

  async #process(job: Job, token: string): Promise<void> {
    const task = job.data as RunJob;
    // One that was on its way when this process stopped taking jobs.
    if (this.#closing !== undefined || this.#isClockWrong) return await this.#giveBack(job, token);
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

  /** Performs a job. A failure is the performer's to handle, and must not end the engine. */
  async #perform(task: RunJob, { controller, postponed }: Running): Promise<HandedBack | undefined> {
    try {
      return (await this.#init.perform(task, controller.signal)) ?? undefined;
    } catch (error) {
      this.#init.log.warn("A job failed, and is taken as done.", error);
      return undefined;
    } finally {
      this.#running.delete(task.runId);
      // One that is not there any more needs no promotion, and any other comes up by itself.
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

  /** Moves a recovered job before all others: its run has begun, and its client waits. */
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

/** Returns the error by whose name BullMQ knows that the job was moved already, and is not active here any more. */
function movedTo(state: "delayed" | "waiting"): Error {
  const name = { delayed: "DelayedError", waiting: "WaitingError" }[state];
  return Object.assign(new Error("The job was given back."), { name });
}
