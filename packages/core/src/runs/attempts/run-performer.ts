import { sleep } from "../../base/async/sleep.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { Journal } from "../../agents/journal/journal.ts";
import { readLastRecord } from "../../agents/journal/read-log.ts";
import { RunPaused } from "../../agents/journal/run-paused.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { isInvalid } from "../../sessions/storage/storage-failure.ts";
import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import { readCancel, readInbox } from "../run-store/answers.ts";
import type { InboxContent } from "../run-store/answers.ts";
import { logFailedRun, lookUpTarget, startRun, toFailedEnd } from "./durable-target.ts";
import { hashOf } from "../run-store/plan-print.ts";
import type { Performing } from "./process-state.ts";
import { RunEnds } from "./run-ends.ts";
import { RetryPauses } from "./retry-pauses.ts";
import type { HandedBack, RunJob } from "./run-engine.ts";
import { cancelled, crashed, endOf, toRunOpts, waitedTooLong } from "../run-store/run-opts.ts";
import { readInput } from "../run-store/run-input.ts";
import type { RunInput } from "../run-store/run-input.ts";
import { isEnded, readOpenRun } from "../run-store/run-record.ts";
import type { RunRecord } from "../run-store/run-record.ts";
import { isDue, isLate, RunSuspension } from "./run-suspension.ts";
import { RunningNote } from "./running-note.ts";
import type { StoredEnd } from "../run-store/run-store.ts";
import type { BegunRun, Ready, ServiceParts } from "./service-parts.ts";
import { fitsElsewhere, getReady } from "./upgrade-check.ts";

/** Attempts in a row without a finished step after which a run is given up. */
const fruitlessAttempts = 3;
/** Attempts after these that only take in what was done, to end the run with it: they may end their process as well. */
const endingAttempts = 2;
/** The time between two looks at a log that another attempt may be writing. */
const growthPauseMs = 200;
/** The time that a stopped attempt has to leave: it notes in its session that it waits. */
const leavingMs = 5000;
/** Pauses before a run is performed again that its storage has stopped. */
const failurePausesMs = [1000, 2000, 5000, 10_000, 30_000];
/** Pauses before a run is performed again that another process has, or that another one fits. */
const handBackPausesMs = [1000, 2000, 3000, 4000, 5000];

/** Performs the attempts at durable runs in this process: from the record to its end, its wait, or the next attempt. */
export class RunPerformer {
  readonly #parts: ServiceParts;
  readonly #performing: Map<string, Performing>;
  /** Submits a run again after a pause. */
  readonly #resubmit: (record: RunRecord, afterMs: number) => void;
  readonly #failures = new RetryPauses(failurePausesMs);
  readonly #handBacks = new RetryPauses(handBackPausesMs);
  readonly #ends: RunEnds;
  readonly #suspension: RunSuspension;

  constructor(
    parts: ServiceParts,
    performing: Map<string, Performing>,
    resubmit: (record: RunRecord, afterMs: number) => void,
  ) {
    this.#parts = parts;
    this.#performing = performing;
    this.#resubmit = resubmit;
    this.#ends = new RunEnds(parts);
    this.#suspension = new RunSuspension(parts, resubmit);
  }

  /** Performs a job, or hands it back for a while. Rejects for nothing. */
  async perform(job: RunJob, signal: AbortSignal): Promise<void | HandedBack> {
    const { runId } = job;
    if (this.#performing.has(runId)) return this.#handBack(runId);
    const controller = new AbortController();
    const { promise: done, resolve } = Promise.withResolvers<void>();
    this.#performing.set(runId, { done, cancel: (reason) => controller.abort(reason) });
    try {
      return await this.#performOnce(job, { signal, controller });
    } finally {
      this.#performing.delete(runId);
      this.#parts.begun.delete(runId);
      resolve();
      this.#parts.tails.handOver(runId);
    }
  }

  async #performOnce(job: RunJob, control: Control): Promise<void | HandedBack> {
    const { runId } = job;
    const begun = this.#parts.begun.get(runId);
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

  /** Drops the job of a run without a record. */
  async #dropJob(runId: string): Promise<void> {
    if (await this.#parts.store.closeOrphan(runId)) return;
    this.#parts.logger?.warn(
      "A job was dropped whose run is not in the storage. It was deleted, or a service with another storage has the same queue: give each service a queue of its own.",
      { runId },
    );
  }

  /** The first attempt at a run that began when this process accepted it. */
  async #performBegun(begun: BegunRun, control: Control): Promise<void> {
    const { tails, store, writer, node } = this.#parts;
    const { record, first, print } = begun;
    const feed = tails.follow(record.runId, first);
    try {
      const journal = Journal.openFirst({ runId: record.runId, storage: store.storage, writer, node, print });
      await this.#run({ ...begun, ...control, journal, given: record });
    } finally {
      tails.leave(feed);
    }
  }

  /** One attempt at a run that is not over. */
  async #attempt(record: RunRecord, control: Control): Promise<void | HandedBack> {
    const { runId, status } = record;
    const { store } = this.#parts;
    // Before its first attempt a run has no waits to answer, and a cancel ends it.
    const isFirst = record.attempts === 0 && status === "queued";
    const inbox: InboxContent = isFirst ? { answers: new Map() } : await readInbox(store.storage, runId);
    if (inbox.cancel !== undefined) return await this.endUnperformed(record, cancelled(inbox.cancel.reason));
    if (status === "waiting" && isLate(record, inbox, this.#parts.now()))
      return await this.endUnperformed(record, waitedTooLong());
    if (status === "waiting" && !isDue(record, inbox, this.#parts.now()))
      return void (await this.#suspension.takeOffList(record));
    if (status === "running" && (await isGrowing(store.storage, runId))) return this.#handBack(runId);
    return await this.#getReady(record, inbox, control);
  }

  /** Begins an attempt if this process has what it needs. Else it leaves the run to one that has, or lets it wait for one. */
  async #getReady(record: RunRecord, inbox: InboxContent, control: Control): Promise<void | HandedBack> {
    const ready = await getReady(this.#parts, record, inbox.answers);
    if (ready === "giveUp") return await this.endUnperformed(record, cancelled("What it needs is gone."));
    if ("wait" in ready) {
      if (await fitsElsewhere(this.#parts, record)) return this.#handBack(record.runId);
      return await this.#suspension.waitForUpgrade(record, ready.wait);
    }
    // An attempt that is stopped before it has begun must not count as one that was in vain.
    if (!control.signal.aborted) await this.#begin({ record, ...ready, ...control }, inbox);
  }

  /** Hands the job back to the engine: after a pause, any process is to perform it. */
  #handBack(runId: string): HandedBack {
    return { againInMs: this.#handBacks.next(runId) };
  }

  /**
   * Drops an old job of a run that was woken since. The process that woke it has submitted a newer one, unless it died before:
   * then the list of open runs does not know of that, either.
   */
  async #passOn(record: RunRecord): Promise<void> {
    const { runId, activation } = record;
    const { store } = this.#parts;
    const open = await store.readOpen(runId);
    if (open === null || readOpenRun(open, runId).activation >= activation) return;
    await store.open(record);
    this.#resubmit(record, 0);
  }

  /**
   * Begins an attempt. One that is only to end the run, with `ending`, takes in what was done before, and ends it with the
   * first thing that was not: so its session keeps what its tools did.
   */
  async #begin(
    start: Omit<Attempt, "journal" | "given">,
    { answers }: InboxContent,
    ending?: TroupeError,
  ): Promise<void> {
    const { record, print, controller } = start;
    let error = ending;
    const journal = await this.#open(record.runId, print, answers);
    if (journal.ended !== undefined) return await this.#ends.finishLogged(record, journal.ended, journal.logged);
    // Its record may not know yet that there was an attempt before.
    const cancel = journal.attempt > 1 ? await readCancel(this.#parts.store.storage, record.runId) : undefined;
    if (cancel !== undefined) error ??= cancelled(cancel.reason);
    const inVain = journal.fruitlessAttempts - fruitlessAttempts;
    if (inVain > 0) error ??= crashed(record);
    const given = await readInput(this.#parts.store.storage, record);
    if (error === undefined) return await this.#run({ ...start, journal, given });
    if (!journal.hasResults || inVain > endingAttempts) return await this.#ends.end(record, journal, error);
    journal.endAtNewWork(() => controller.abort(error));
    await this.#run({ ...start, journal, given, ending: error });
  }

  /** Ends a run that no attempt is at, and waits until that is stored. What it needs to go on may be gone. */
  async endUnperformed(record: RunRecord, error: TroupeError): Promise<void> {
    const { registries, printer, vault } = this.#parts;
    const target = lookUpTarget(registries, record.kind, record.name);
    if (target === undefined) return await this.#endAsItIs(record, error);
    const plan = printer.print(target);
    const ready = { target, plan, print: hashOf(plan), keys: vault.open(record.runId, record.keys) ?? {} };
    const control = { controller: new AbortController(), signal: new AbortController().signal };
    await this.#begin({ record, ...ready, ...control }, { answers: new Map() }, error);
  }

  /** Ends a run without another attempt at what it has not done. */
  async #endAsItIs(record: RunRecord, error: TroupeError): Promise<void> {
    const journal = await this.#open(record.runId, "");
    if (journal.ended !== undefined) return await this.#ends.finishLogged(record, journal.ended, journal.logged);
    await this.#ends.end(record, journal, error);
  }

  async #open(runId: string, print: string, answers?: ReadonlyMap<string, Json>): Promise<Journal> {
    const { store, writer, node } = this.#parts;
    return await Journal.open({ runId, storage: store.storage, writer, node, print, ...(answers && { answers }) });
  }

  async #run(attempt: Attempt): Promise<void> {
    const { record, journal, signal } = attempt;
    const { startedAt = this.#parts.now() } = record;
    const release = () => journal.release();
    if (signal.aborted) {
      release();
      return await journal.flush();
    }
    signal.addEventListener("abort", release, { once: true });
    const running = { attempts: journal.attempt, node: this.#parts.node, startedAt, plan: attempt.plan };
    const note = new RunningNote(this.#parts.store, record, running);
    try {
      const end = await untilStopped(journal, this.#drive(attempt));
      const known = await note.known();
      if (journal.stopped !== undefined) return await this.#pause(record, journal, note);
      // Its session may not have been reached.
      if (attempt.ending !== undefined) await this.#ends.endSessionWait(record);
      await journal.end(end);
      await this.#ends.finish(record, { ...running, ...endOf(end) }, known);
    } catch (error) {
      if (journal.stopped === undefined) throw error;
      await this.#pause(record, journal, note);
    } finally {
      note.close();
      signal.removeEventListener("abort", release);
    }
  }

  /** Drives a run to its end, or to a pause. A failure of the run is an end, too. */
  async #drive(attempt: Attempt): Promise<{ output: Json; error?: StoredEnd["error"] & object }> {
    const { record, given, journal, controller, target, keys } = attempt;
    try {
      const local = this.#parts.locals.get(record.runId);
      const { input, options } = given;
      const opts = toRunOpts({ ...record, options }, { keys, local, signal: controller.signal });
      const { kind } = record;
      const run = startRun(target, { kind, input: local?.input ?? input }, { ...opts, journal });
      for await (const chunk of run.chunks) {
        const behind = journal.write(chunk, run.innerOf(chunk));
        if (behind !== undefined) await behind;
      }
      return { output: await run.output() };
    } catch (error) {
      if (journal.stopped !== undefined) return { output: null };
      const end = toFailedEnd(error);
      if (attempt.ending !== undefined) end.error = toFailedEnd(attempt.ending).error;
      if (end.error.code !== "cancelled") {
        logFailedRun(this.#parts.logger, error, { runId: record.runId, keys });
        return end;
      }
      await journal.flush();
      return { ...end, output: await this.#ends.withToolStates(record.runId, end.output) };
    }
  }

  async #pause(record: RunRecord, journal: Journal, note: RunningNote): Promise<void> {
    // What was done before is not done again, if it can be stored.
    if (journal.stopped === "failed") await journal.flush().catch(() => undefined);
    if (journal.stopped === "failed") throw causeOf(journal);
    // A call with an effect whose result is lost would have to be asked about.
    if (journal.stopped === "released") await journal.flush();
    if (journal.stopped === "suspended") await this.#suspension.suspend(record, journal, note);
  }

  async #fail(runId: string, record: RunRecord | null, error: TroupeError): Promise<void | HandedBack> {
    if (error instanceof RunPaused && error.reason !== "failed") {
      // Another attempt was first. If that has lost its job, this one goes on after it.
      return error.reason === "overtaken" ? this.#handBack(runId) : undefined;
    }
    const cause = error instanceof RunPaused ? toTroupeError(error.cause) : error;
    this.#parts.logger?.error("A durable run cannot be performed.", { runId, error: cause });
    if (record !== null && isInvalid(cause) && (await this.#endRefused(record, cause))) return undefined;
    this.#parts.tails.fail(runId, cause);
    if (cause.code === "storage_corrupt") return await this.#endCorrupt(record, cause);
    return { againInMs: this.#failures.next(runId) };
  }

  /** Ends a run that cannot be read, in its record alone. */
  async #endCorrupt(record: RunRecord | null, error: TroupeError): Promise<void> {
    if (record === null) return;
    await this.#ends.finish(record, { status: "error", ...toFailedEnd(error) }).catch(() => undefined);
  }

  /** Ends a run that has done something which the storage does not take: another attempt would do it again, in vain. */
  async #endRefused(record: RunRecord, error: TroupeError): Promise<boolean> {
    try {
      await this.endUnperformed(record, error);
    } catch (second) {
      // All was done before, and its end is what the storage does not take.
      if (!isInvalid(second instanceof RunPaused ? second.cause : second)) return false;
      await this.#endAsItIs(record, error);
    }
    return true;
  }
}

/** The signals of one attempt: the engine's, which hands the run back, and the one that ends it as cancelled. */
type Control = { readonly signal: AbortSignal; readonly controller: AbortController };

type Attempt = Ready &
  Control & {
    readonly record: RunRecord;
    readonly journal: Journal;
    /** The input and options of the run. */
    readonly given: RunInput;
    /** The error with which the attempt is to end the run. */
    readonly ending?: TroupeError | undefined;
  };

/** Waits for the work of an attempt; when the attempt is stopped, only for a while: a runnable may not listen to its signal. */
async function untilStopped<Result>({ signal }: Journal, work: Promise<Result>): Promise<Result> {
  const { promise: isOver, reject } = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onStop = (): void => {
    timer = setTimeout(() => reject(signal.reason), leavingMs).unref();
  };
  if (signal.aborted) onStop();
  else signal.addEventListener("abort", onStop, { once: true });
  try {
    return await Promise.race([work, isOver]);
  } finally {
    signal.removeEventListener("abort", onStop);
    clearTimeout(timer);
  }
}

/** Tells if another attempt is writing the log of a run: then the engine was wrong. */
async function isGrowing(storage: StorageDriver, runId: string): Promise<boolean> {
  const before = await readLastRecord(storage, runId);
  await sleep(growthPauseMs);
  return (await readLastRecord(storage, runId))?.number !== before?.number;
}

function causeOf({ signal }: Journal): unknown {
  return signal.reason;
}
