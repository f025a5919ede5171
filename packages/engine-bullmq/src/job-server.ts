import type { EngineServeOptions, HandedBack, Perform, RunJob } from "@troupe/core";
import { TroupeError } from "@troupe/core";
import type { Job, Worker } from "bullmq";
import type { ClockGuard } from "./clock-guard.ts";
import type { FailureLog } from "./engine-failure.ts";
import type { OpenQueue } from "./open-queue.ts";
import { serveSchedules } from "./queue-schedules.ts";

/** Milliseconds between two looks at the clocks. */
const clockCheckMs = 60_000;
/** Milliseconds after which a job is tried again whose run is under way here. It is promoted when that one is over. */
const postponeMs = 1000;
/** A number of takeovers that no job reaches: of runs that crash their process, the run log knows. */
const anyNumber = 2 ** 31 - 1;

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
  isLost: boolean;
};

/** A worker of an engine: takes jobs, performs each, and gives back those that it cannot or must not perform. */
export class JobServer {
  readonly #init: Init;
  /** The jobs under way, by the run's id. */
  readonly #running = new Map<string, Running>();
  #worker: Worker | undefined;
  #schedules: Worker | undefined;
  #closing: Promise<void> | undefined;
  #clockTimer: NodeJS.Timeout | undefined;
  /** Why no jobs are taken at the moment. */
  #wrongClock: TroupeError | undefined;

  constructor(init: Init) {
    this.#init = init;
  }

  /** Begins to take jobs. Rejects when the clock is wrong, or the database is not there. */
  async start(open: OpenQueue, guard: ClockGuard | undefined): Promise<void> {
    const { backend, queue } = open;
    const { concurrency, lockMs, log, onSchedule } = this.#init;
    const wrong = await guard?.check();
    if (wrong !== undefined) throw wrong;
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
    this.#worker = worker;
    worker.on("error", (error) => log.warn("The worker of the engine failed.", error));
    worker.on("lockRenewalFailed", (ids) => this.#lose(ids));
    worker.on("stalled", (id) => void this.#recover(() => queue.getJob(id)));
    await worker.waitUntilReady();
    if (onSchedule !== undefined) {
      this.#schedules = serveSchedules(open, { queue: this.#init.queue, onSchedule, log });
      await this.#schedules.waitUntilReady();
    }
    void worker.run().catch((error: unknown) => log.warn("The worker of the engine failed.", error));
    if (guard === undefined) return;
    this.#clockTimer = setInterval(() => void this.#checkClock(guard), clockCheckMs).unref();
  }

  /** Takes no more jobs, and waits for those under way; after `graceMs` they are aborted and given back. */
  async drain(graceMs: number): Promise<void> {
    clearInterval(this.#clockTimer);
    this.#closing ??= this.#close();
    const timer = setTimeout(() => {
      for (const { controller } of this.#running.values()) controller.abort(drained());
    }, graceMs);
    await this.#closing;
    clearTimeout(timer);
  }

  async #close(): Promise<void> {
    await Promise.all([this.#worker?.close(), this.#schedules?.close()]);
  }

  async #checkClock(guard: ClockGuard): Promise<void> {
    const { log } = this.#init;
    try {
      const wrong = await guard.check();
      if (wrong !== undefined) log.error(`No more jobs are taken. ${wrong.message}`);
      if ((wrong === undefined) === (this.#wrongClock === undefined)) return;
      this.#wrongClock = wrong;
      if (wrong !== undefined) return await this.#worker?.pause(true);
      log.info("The clock is right again: jobs are taken.");
      await this.#worker?.resume();
    } catch (error) {
      log.warn("The clock could not be compared with the database's.", error);
    }
  }

  async #process(job: Job, token: string): Promise<void> {
    const task = job.data as RunJob;
    // One that was on its way when this process stopped taking jobs.
    if (this.#closing !== undefined || this.#wrongClock !== undefined) return await this.#giveBack(job, token);
    const other = this.#running.get(task.runId);
    if (other !== undefined) {
      other.postponed.push(job);
      return await this.#delay(job, token, postponeMs);
    }
    const running = { id: job.id ?? "", controller: new AbortController(), postponed: [], isLost: false };
    this.#running.set(task.runId, running);
    const back = await this.#perform(task, running);
    if (running.isLost) return await this.#resubmit(task);
    if (running.controller.signal.aborted) return await this.#giveBack(job, token);
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
      running.isLost = true;
      running.controller.abort(lost());
    }
  }

  /** Moves a recovered job before all others: its run has begun, and its client waits. */
  async #recover(find: () => Promise<Job | undefined>): Promise<void> {
    try {
      await (await find())?.changePriority({ priority: 0, lifo: true });
    } catch (error) {
      this.#init.log.warn("A recovered job could not be moved before the others.", error);
    }
  }

  async #resubmit(task: RunJob): Promise<never> {
    await this.#init.submit(task).catch((error: unknown) => {
      this.#init.log.warn("A lost job could not be submitted again. The sweep does it.", error);
    });
    throw left("DelayedError");
  }

  async #giveBack(job: Job, token: string): Promise<never> {
    try {
      await job.changePriority({ priority: 0 });
      await job.moveToWait(token);
    } catch (error) {
      this.#init.log.warn("A job could not be given back. It is taken over when its lock ends.", error);
    }
    throw left("WaitingError");
  }

  async #delay(job: Job, token: string, ms: number): Promise<never> {
    try {
      await job.moveToDelayed(Date.now() + ms, token);
    } catch (error) {
      this.#init.log.warn("A job could not be put off. It is taken over when its lock ends.", error);
    }
    throw left("DelayedError");
  }
}

/** An error by whose name BullMQ knows that the job is not active here any more, and changes nothing. */
function left(name: "DelayedError" | "WaitingError"): Error {
  return Object.assign(new Error("The job was given back."), { name });
}

function drained(): TroupeError {
  return new TroupeError("unavailable", "The process ends: the run goes on elsewhere, or after a restart.");
}

function lost(): TroupeError {
  return new TroupeError("unavailable", "This process lost its lock on the run, which goes on elsewhere.");
}
