import { sleep } from "../../base/async/sleep.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { AttemptExecution } from "./attempt-execution.ts";
import type { AttemptControl, PerformedAttempt } from "./attempt-execution.ts";
import type { AttemptInit } from "../../agents/journal/attempt.ts";
import { Journal } from "../../agents/journal/journal.ts";
import { readLastRecord } from "../../agents/journal/read-log.ts";
import { RunPaused } from "../../agents/run/run-paused.ts";
import { isInvalid } from "../../sessions/storage/storage-failure.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { readCancel, readInbox } from "../record/answers.ts";
import type { InboxContent } from "../record/answers.ts";
import { lookUpTarget, toFailedEnd } from "../processes/durable-target.ts";
import { fitsElsewhere, getReady } from "../processes/upgrade-check.ts";
import { hashOf } from "../record/plan-print.ts";
import type { BegunRun, ServiceParts } from "../processes/service-parts.ts";
import { RunEnds, isDue, isLate, RunSuspension } from "./run-ends.ts";
import { RetryPauses } from "../processes/run-sweep.ts";
import type { PostponedJob, RunJob } from "../processes/run-engine.ts";
import { cancelled, crashed, isEnded, waitedTooLong } from "../record/run-record.ts";
import { readInput } from "../record/run-input.ts";
import type { RunRecord } from "../record/run-record.ts";

/**
 * The number of further attempts at a run that was given up after too many crashes. Such an attempt only reads the
 * run's finished work and ends the run, but it may also crash its process.
 */
const endingAttempts = 2;
/** Milliseconds between two checks of a log that another attempt may be writing. */
const growthPauseMs = 200;
/** Milliseconds to pause before retrying a run that a storage failure stopped. */
const failurePausesMs = [1000, 2000, 5000, 10_000, 30_000];
/**
 * Milliseconds to pause before retrying a suspect run (a run whose processes died repeatedly), while this process
 * performs other suspect runs.
 */
const suspectPausesMs = [100, 200, 400];
/** Milliseconds to pause before retrying a run that another process performs, or that it alone can continue. */
const handBackPausesMs = [1000, 2000, 3000, 4000, 5000];

/** Makes attempts at durable runs in this process, each until the run ends, waits or is left to a later attempt. */
export class RunPerformer {
  readonly #parts: ServiceParts;
  /** Submits a run again. */
  readonly #resubmit: (record: RunRecord) => void;
  readonly #failures = new RetryPauses(failurePausesMs);
  readonly #handBacks = new RetryPauses(handBackPausesMs);
  readonly #suspectPauses = new RetryPauses(suspectPausesMs);
  readonly #ends: RunEnds;
  readonly #suspension: RunSuspension;
  readonly #execution: AttemptExecution;

  constructor(parts: ServiceParts, resubmit: (record: RunRecord) => void) {
    this.#parts = parts;
    this.#resubmit = resubmit;
    this.#ends = new RunEnds(parts);
    this.#suspension = new RunSuspension(parts, resubmit);
    this.#execution = new AttemptExecution(parts, this.#ends, this.#suspension);
  }

  /**
   * Performs a job, or hands it back to the engine for a while. After most failures the job is handed back too, or its
   * run is ended.
   */
  async perform(job: RunJob, signal: AbortSignal): Promise<void | PostponedJob> {
    const { runId } = job;
    if (this.#parts.performing.has(runId)) return this.#handBack(runId);
    const begun = this.#parts.begun.get(runId);
    const controller = begun?.controller ?? new AbortController();
    const { promise: done, resolve } = Promise.withResolvers<void>();
    this.#parts.performing.set(runId, { done, cancel: (reason) => controller.abort(reason) });
    try {
      return await this.#performOnce(job, { signal, controller }, begun);
    } finally {
      this.#parts.performing.delete(runId);
      this.#parts.begun.delete(runId);
      resolve();
      this.#parts.tails.handOver(runId);
    }
  }

  /** Wakes a waiting run whose time is over. Never rejects. */
  async wakeDue(runId: string): Promise<void> {
    await this.#suspension.wakeDue(runId);
  }

  async #performOnce(job: RunJob, control: AttemptControl, begun: BegunRun | undefined): Promise<void | PostponedJob> {
    const { runId } = job;
    let record: RunRecord | null = begun?.record ?? null;
    try {
      if (begun !== undefined) return await this.#performBegun(begun, control);
      record = await this.#parts.store.read(runId);
      if (record === null) return await this.#dropJob(runId);
      if (isEnded(record.status)) return await this.#parts.store.settle(record);
      if (job.activation < record.activation) return await this.#passOn(record);
      const back = await this.#attempt(record, control);
      this.#failures.forget(runId);
      if (back === undefined) this.#handBacks.forget(runId);
      return back;
    } catch (error) {
      return await this.#fail(runId, record, toTroupeError(error));
    }
  }

  /** Drops the job of a run without a record, and removes other stored data of such a run. */
  async #dropJob(runId: string): Promise<void> {
    if (await this.#parts.store.lists.closeOrphan(runId)) return;
    this.#parts.logger?.warn(
      "A job was dropped whose run is not in the storage. It was deleted, or a service with another storage has the same queue: give each service a queue of its own.",
      { runId },
    );
  }

  /** Performs the first attempt at a run that began when this process accepted it. */
  async #performBegun(begun: BegunRun, control: AttemptControl): Promise<void> {
    const { tails } = this.#parts;
    const { record, first, journal } = begun;
    const feed = tails.follow(record.runId, first);
    try {
      journal.durable.startClock();
      await this.#execution.execute({ ...begun, ...control, given: record });
    } finally {
      tails.leave(feed);
    }
  }

  /**
   * Makes one attempt at an open run, unless the run was cancelled, still waits, or is performed by another process.
   */
  async #attempt(record: RunRecord, control: AttemptControl): Promise<void | PostponedJob> {
    const { runId, status } = record;
    const { store } = this.#parts;
    // Before its first attempt a run has no answers, and a cancellation ends it immediately, so the messages to the run
    // are not read.
    const isFirst = record.attempts === 0 && status === "queued";
    const inbox: InboxContent = isFirst ? emptyInbox : await readInbox(store.storage, runId);
    if (inbox.cancel !== undefined) return await this.endUnperformed(record, cancelled(inbox.cancel.reason));
    if (status === "waiting" && isLate(record, inbox, this.#parts.now()))
      return await this.endUnperformed(record, waitedTooLong());
    if (status === "waiting" && !isDue(record, inbox, this.#parts.now()))
      return void (await this.#suspension.takeOffList(record));
    if (status === "running" && (await isGrowing(store.storage, runId))) return this.#handBack(runId);
    return await this.#getReady(record, inbox, control);
  }

  /**
   * Begins an attempt if this process has all that the run needs. Otherwise leaves the run to a suitable process, or
   * lets it wait for such a process.
   */
  async #getReady(record: RunRecord, inbox: InboxContent, control: AttemptControl): Promise<void | PostponedJob> {
    const ready = await getReady(this.#parts, record, inbox.answers);
    if (ready === "giveUp") return await this.endUnperformed(record, cancelled("What it needs is gone."));
    if ("wait" in ready) {
      if (await fitsElsewhere(this.#parts, record)) return this.#handBack(record.runId);
      return await this.#suspension.waitForUpgrade(record, ready.wait);
    }
    // An attempt that is stopped before it begins must not count as an attempt without progress.
    if (control.signal.aborted) return undefined;
    return await this.#begin({ record, ...ready, ...control }, inbox);
  }

  /** Hands the job back to the engine, so that any process performs it after a pause. */
  #handBack(runId: string): PostponedJob {
    return { againInMs: this.#handBacks.next(runId) };
  }

  /**
   * Drops an outdated job: the run was put back into the queue by an answer after this job was submitted. The process
   * that did so has submitted a newer job, unless it crashed first. In that case the run's entry in the list of open
   * runs is outdated too, and this process submits the newer job.
   */
  async #passOn(record: RunRecord): Promise<void> {
    if (await this.#parts.store.openRuns.relist(record)) this.#resubmit(record);
  }

  /**
   * Begins an attempt. With `ending` the attempt only reads finished work and ends the run at the first unfinished
   * step, so that the session keeps the work of its tools.
   */
  async #begin(
    start: Omit<PerformedAttempt, "journal" | "given">,
    inbox: InboxContent,
    ending?: TroupeError,
  ): Promise<void | PostponedJob> {
    const { record, print } = start;
    const { runId } = record;
    const init = this.#initOf(runId, print, inbox);
    const journal = await Journal.read(init);
    const { durable } = journal;
    if (durable.ended !== undefined) return await this.#ends.finishLogged(record, durable.ended, durable.logged);
    const isSuspect = ending === undefined && durable.isSuspect;
    const place = isSuspect ? this.#parts.suspects.enter(runId, durable.mustBeAlone) : undefined;
    if (isSuspect && place === undefined) return { againInMs: this.#suspectPauses.next(runId) };
    this.#suspectPauses.forget(runId);
    try {
      await durable.start(init, place?.isShared);
      if (place !== undefined) durable.onProgress = () => place.leave();
      await this.#goOn({ ...start, journal }, ending, inbox !== emptyInbox);
    } finally {
      place?.leave();
    }
  }

  /**
   * Performs an attempt that has begun. If the run was cancelled or given up, the attempt only reads finished work and
   * ends the run.
   */
  async #goOn(
    start: Omit<PerformedAttempt, "given">,
    ending: TroupeError | undefined,
    hasReadInbox: boolean,
  ): Promise<void> {
    const { record, controller } = start;
    const { durable } = start.journal;
    let error = ending;
    // The run's record may not count an earlier attempt yet. In that case the messages to the run were not read above,
    // and a cancellation may be among them.
    const mayBeCancelled = durable.attempt > 1 && !hasReadInbox;
    const cancel = mayBeCancelled ? await readCancel(this.#parts.store.storage, record.runId) : undefined;
    if (cancel !== undefined) error ??= cancelled(cancel.reason);
    if (durable.isGivenUp) error ??= crashed(record);
    const given = await readInput(this.#parts.store.storage, record);
    if (error === undefined) return await this.#execution.execute({ ...start, given });
    if (durable.results.size === 0 || durable.endings >= endingAttempts)
      return await this.#ends.end(record, durable, error);
    durable.newWork.forbid(() => controller.abort(error));
    await this.#execution.execute({ ...start, given, ending: error });
  }

  /**
   * Ends a run that has no attempt in progress, and waits until the end is stored. Works even if the runnable or its
   * tools no longer exist.
   */
  async endUnperformed(record: RunRecord, error: TroupeError): Promise<void> {
    const { registries, printer, vault } = this.#parts;
    const target = lookUpTarget(registries, record.kind, record.name);
    if (target === undefined) return await this.#endAsItIs(record, error);
    const plan = printer.print(target, record.plan);
    const ready = { target, plan, print: hashOf(plan), keys: vault.open(record.runId, record.keys) ?? {} };
    const control = { controller: new AbortController(), signal: new AbortController().signal };
    await this.#begin({ record, ...ready, ...control }, emptyInbox, error);
  }

  /** Ends a run without another attempt at its unfinished work. */
  async #endAsItIs(record: RunRecord, error: TroupeError): Promise<void> {
    const { durable } = await Journal.open(this.#initOf(record.runId, ""));
    if (durable.ended !== undefined) return await this.#ends.finishLogged(record, durable.ended, durable.logged);
    await this.#ends.end(record, durable, error);
  }

  #initOf(runId: string, print: string, { answers, signals } = emptyInbox): AttemptInit {
    const { store, writer, node } = this.#parts;
    return { runId, storage: store.storage, writer, node, print, answers, signals };
  }

  async #fail(runId: string, record: RunRecord | null, error: TroupeError): Promise<void | PostponedJob> {
    if (error instanceof RunPaused && error.reason !== "failed") {
      // Another attempt came first. This job goes back to the engine, in case the job of that attempt was lost.
      return error.reason === "overtaken" ? this.#handBack(runId) : undefined;
    }
    const cause = error instanceof RunPaused ? toTroupeError(error.cause) : error;
    this.#parts.logger?.error("A durable run cannot be performed.", { runId, error: cause });
    if (record !== null && isInvalid(cause) && (await this.#endRefused(record, cause))) return undefined;
    this.#parts.tails.fail(runId, cause);
    if (cause.code === "storage_corrupt") return await this.#endCorrupt(record, cause);
    return { againInMs: this.#failures.next(runId) };
  }

  /** Ends a run with damaged stored data, by a change of its record only. */
  async #endCorrupt(record: RunRecord | null, error: TroupeError): Promise<void> {
    if (record === null) return;
    await this.#ends.finish(record, { status: "error", ...toFailedEnd(error) }).catch(() => undefined);
  }

  /**
   * Ends a run whose result the storage rejects: another attempt would repeat the work in vain. Returns false if the
   * end failed for another reason.
   */
  async #endRefused(record: RunRecord, error: TroupeError): Promise<boolean> {
    try {
      await this.endUnperformed(record, error);
    } catch (second) {
      // If the run has no unfinished work, it is the run's end that the storage rejects.
      if (!isInvalid(second instanceof RunPaused ? second.cause : second)) return false;
      await this.#endAsItIs(record, error);
    }
    return true;
  }
}

const emptyInbox: InboxContent = { answers: new Map(), signals: [] };

/** Returns true if another attempt is writing the log of a run, so that this process must not perform the run now. */
async function isGrowing(storage: StorageDriver, runId: string): Promise<boolean> {
  const before = await readLastRecord(storage, runId);
  await sleep(growthPauseMs);
  return (await readLastRecord(storage, runId))?.number !== before?.number;
}
