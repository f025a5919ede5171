import type { StorageDriver } from "../../sessions/storage/storage-driver.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { createId } from "../../base/util/create-id.ts";
import { elapsedMs } from "../../base/util/elapsed-ms.ts";
import { ChunkSteps } from "./chunk-steps.ts";
import { logRecord, toLogged } from "./log-entry.ts";
import type { LogEnd, LogEntry, LogRecord, JournalResult } from "./log-entry.ts";
import type { RunChunk, RunSignal, RunWait } from "../run/run-wait.ts";
import { LoggedPast } from "./logged-past.ts";
import type { LogWriter, RunLog } from "./log-writer.ts";
import { NewWork } from "./new-work.ts";
import type { BegunStep } from "./open-step.ts";
import { StepsInProgress } from "./steps-in-progress.ts";
import { readLog } from "./read-log.ts";
import { StepSignals } from "./step-signals.ts";
import { RunPaused, type PauseReason } from "../run/run-paused.ts";
import type { DurableRun, NotedModelCall } from "../run/run-steps.ts";

/** The run of an attempt, its log and log writer, and a description of the performing process for the log. */
export type AttemptInit = {
  readonly runId: string;
  readonly storage: StorageDriver;
  readonly writer: LogWriter;
  /** An id of the process that makes the attempt. */
  readonly node: string;
  /** A fingerprint of the tools and steps with which the attempt performs the run. */
  readonly print: string;
  /** The stored answers to the run's waits, by wait id. */
  readonly answers?: ReadonlyMap<string, Json>;
  /** The stored signals to the run, in order. */
  readonly signals?: readonly RunSignal[];
};

/** The number of consecutive attempts without a finished step after which an unreachable session ends the run. */
const mostStorageFailures = 3;

/** One attempt at a run: the log as it was at the start, and the entries that it adds. All journals of the run share it. */
export class Attempt extends LoggedPast implements DurableRun {
  readonly runId: string;
  readonly answers: ReadonlyMap<string, Json>;
  readonly signals: StepSignals;
  readonly steps = new StepsInProgress(() => this.#onIdle());
  readonly newWork = new NewWork();
  readonly chunkSteps = new ChunkSteps();
  stopped: PauseReason | undefined;
  onModelCall: ((describe: () => NotedModelCall) => void) | undefined;
  readonly #abort = new AbortController();
  readonly signal: AbortSignal = this.#abort.signal;
  /** Rejects when the attempt stops, so that steps which wait end. */
  readonly #stopped = Promise.withResolvers<never>();
  #startedAt = performance.now();
  #records = 0;
  #hasChunk = false;
  #hasEnd = false;
  /** True if the log shows by a result, a new wait or a `left` entry that this attempt has not crashed its process. */
  #isProven = false;
  /** Called when the attempt finishes a step or reaches a wait. */
  onProgress: (() => void) | undefined;
  #log!: RunLog;

  private constructor({ runId, answers = new Map(), signals = [] }: AttemptInit) {
    super();
    this.runId = runId;
    this.answers = answers;
    this.signals = new StepSignals(signals, this.takenSignals);
  }

  /** Reads the log of a run, for an attempt that `start` begins. */
  static async read(init: AttemptInit): Promise<Attempt> {
    const attempt = new Attempt(init);
    const { runId, storage } = init;
    for await (const page of readLog(storage, runId)) {
      for (const { record } of page) for (const entry of record.entries) attempt.read(entry);
      attempt.#records += page.length;
    }
    return attempt;
  }

  /**
   * Begins the attempt: stores its start. Stores nothing if the run has ended.
   *
   * @param isShared true if the run is a suspect (its last processes died), and may share this process with another one
   */
  async start({ writer, node, print }: AttemptInit, isShared = false): Promise<void> {
    if (this.ended !== undefined) return;
    this.#openLog(writer);
    const left = [...this.unfinished];
    this.unfinished.clear();
    const marks = { ...(left.length > 0 && { void: left }), ...(isShared && { isShared: true as const }) };
    await this.add({ t: "attempt", n: this.attempt, id: createId(), at: Date.now(), node, print, ...marks });
  }

  /** Returns the first record of a run's log, which begins the first attempt. */
  static firstRecord({ node, print }: Pick<AttemptInit, "node" | "print">): LogRecord {
    return logRecord([{ t: "attempt", n: 1, id: createId(), at: Date.now(), node, print }]);
  }

  /** Returns the first attempt at a run whose log contains only its first record. Nothing needs to be read. */
  static afterFirstRecord(init: AttemptInit): Attempt {
    const attempt = new Attempt(init);
    attempt.#records = 1;
    attempt.#openLog(init.writer);
    return attempt;
  }

  #openLog(writer: LogWriter): void {
    this.#log = writer.open(this.runId, this.#records + 1);
    this.#log.onFailure = (paused) => this.#stopAs(paused);
    // Without this handler, a stop would be an unhandled rejection if no step waits.
    this.#stopped.promise.catch(() => undefined);
  }

  /** Starts to count the time of the attempt, for an attempt that was made before its run was stored. */
  startClock(): void {
    this.#startedAt = performance.now();
  }

  get performedMs(): number {
    return this.performedBefore + elapsedMs(this.#startedAt);
  }

  /** Logs an entry immediately and waits until it is stored. */
  async add(entry: LogEntry): Promise<void> {
    this.#hasEnd ||= entry.t === "end";
    this.#log.add(entry, true);
    await this.#log.stored();
  }

  /** Logs the end of the run. Resolves when it is stored. */
  async end(end: Omit<LogEnd, "t">): Promise<void> {
    await this.add({ t: "end", ...end });
  }

  async flush(): Promise<void> {
    this.#log.urge();
    await this.#log.stored();
  }

  beginStep(step: string): BegunStep {
    this.newWork.reach(step);
    const close = this.steps.open(step);
    const startedAt = performance.now();
    return {
      tag: (chunk) => this.chunkSteps.tag(chunk, step),
      noteModelCall: (describe) => this.onModelCall?.(() => ({ ...describe(), runId: this.runId, step })),
      done: (value, usage) => {
        this.#finish(step, { value: toLogged(value) as Json, ms: elapsedMs(startedAt), ...(usage && { usage }) });
        close();
      },
      leave: close,
    };
  }

  /** Logs the wait of a step. Rejects when the attempt stops. */
  async wait(step: string, wait: RunWait): Promise<never> {
    const seen = this.signals.newest;
    this.steps.wait(step, wait.kind === "event" && seen !== undefined ? { ...wait, seen } : wait);
    this.onProgress?.();
    if (!this.knownWaits.has(wait.id)) {
      this.#isProven = true;
      this.knownWaits.set(wait.id, wait);
      this.#log.add({ t: "wait", wait, performedMs: this.performedMs }, true);
    }
    this.newWork.reach(step);
    this.steps.checkIdle();
    return await this.#stopped.promise;
  }

  /** Logs a chunk of the run's stream. Returns a promise while the storage is too slow, for backpressure. */
  writeChunk(chunk: RunChunk, inner: object = chunk): Promise<void> | undefined {
    if (this.stopped !== undefined) return undefined;
    const step = this.chunkSteps.stepOf(inner);
    if (step === "" && this.wasLogged(chunk)) return undefined;
    this.#log.add({ t: "chunks", step, chunks: [isText(chunk) ? chunk : toLogged(chunk)] }, !this.#hasChunk);
    this.#hasChunk = true;
    return this.#log.isFull ? this.#log.stored().catch(() => undefined) : undefined;
  }

  failStorage(cause: TroupeError): void {
    if (this.storageFailures + 1 < mostStorageFailures) this.stop("failed", cause);
  }

  /** Stops the attempt, so that another attempt continues the run. Finished work is still written: see `flush`. */
  stop(reason: PauseReason, cause?: unknown): void {
    this.#stopAs(new RunPaused(reason, cause));
  }

  #stopAs(paused: RunPaused): void {
    if (this.stopped !== undefined) return;
    this.stopped = paused.reason;
    // Work done before a release or a failure is still logged, but nothing after a takeover or a suspension.
    if (paused.reason === "released" || paused.reason === "failed") {
      // An attempt without this entry may have crashed its process.
      if (!this.#hasEnd) this.#log.add({ t: "left", why: paused.reason }, true);
      this.#log.close();
    } else {
      this.#log.fail(paused);
    }
    this.#stopped.reject(paused);
    this.#abort.abort(paused);
  }

  #finish(step: string, result: JournalResult): void {
    if (this.stopped !== undefined) return;
    const signal = this.signals.takenBy(step);
    this.results.set(step, result);
    this.calls.delete(step);
    this.#isProven = true;
    this.onProgress?.();
    this.#log.add({ t: "done", step, at: Date.now(), ...result, ...(signal !== undefined && { signal }) });
  }

  /** Suspends the run, because every step in progress waits. */
  #onIdle(): void {
    if (this.stopped !== undefined) return;
    // Without this entry, an attempt that only reached known waits would look like an attempt that crashed its process.
    if (!this.#isProven) this.#log.add({ t: "left", why: "suspended" }, true);
    this.#isProven = true;
    this.#log.stored().then(
      () => this.steps.isIdle && this.stop("suspended"),
      () => undefined,
    );
  }
}

/** Returns true for text and thinking. They are logged without a copy, because a model's text is well-formed. */
function isText({ type }: RunChunk): boolean {
  return type === "text" || type === "thinking";
}
