import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { uuidOf } from "../../base/util/create-id.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { Attempt } from "./attempt.ts";
import type { AttemptInit, BegunStep } from "./attempt.ts";
import type { LoggedAttempts, LoggedPast } from "./logged-past.ts";
import type { LogEnd, LogRecord, JournalResult } from "./log-entry.ts";
import type { PauseReason } from "../run/run-paused.ts";
import type { DurableRun, InterruptedCall, NotedModelCall, OpenStep, RunSteps, NotedCall } from "../run/run-steps.ts";
import type { StepEnd, StepKind, StepOptions } from "../run/run-steps.ts";
import type { RunChunk, RunWait, StepQuestion, WaitKind } from "../run/run-wait.ts";
import { endOfStep, keepsFailure, runJournalStep, streamJournalStep } from "./journal-step.ts";
import { logCall, logWait, waitIdOf } from "./log-question.ts";
import { doStep, replayStep, streamStep } from "./open-step.ts";
import type { StepLog } from "./open-step.ts";

/** The number of consecutive attempts without a finished step after which an unreachable session ends the run. */
const mostStorageFailures = 3;

/**
 * The journal of one attempt at a durable run. Each step (a model call, a tool call, a function) is logged under a key.
 * A later attempt reads the step's result from the journal and does not repeat the step. Parts of the run and child
 * runs have their own journals over the same attempt, with prefixed keys.
 */
export class Journal implements RunSteps, DurableRun, StepLog {
  readonly #attempt: Attempt;
  /** The prefix of all step keys in this journal: empty, or a path that ends with `/`. */
  readonly #scope: string;
  #children = 0;

  private constructor(attempt: Attempt, scope: string) {
    this.#attempt = attempt;
    this.#scope = scope;
  }

  /** Reads the log of a run, for an attempt that `start` begins. */
  static async read(init: AttemptInit): Promise<Journal> {
    return new Journal(await Attempt.read(init), "");
  }

  /**
   * Begins an attempt at a run: reads the run's log to its end and stores the start of the new attempt. An older
   * attempt is overtaken at its next write. Rejects with `RunPaused` if another attempt came first. Stores nothing if
   * the run has ended.
   */
  static async open(init: AttemptInit): Promise<Journal> {
    const journal = await Journal.read(init);
    await journal.start(init);
    return journal;
  }

  /** Begins the attempt that `read` prepared: see `open`. `isShared`: true if another suspect run may run beside it. */
  async start(init: AttemptInit, isShared?: boolean): Promise<void> {
    await this.#attempt.start(init, isShared);
  }

  /** Returns the first record of the log of a run that begins when it is stored. `openFirst` continues from it. */
  static firstRecord(init: Pick<AttemptInit, "node" | "print">): LogRecord {
    return Attempt.firstRecord(init);
  }

  /**
   * Continues the first attempt at a run whose first record the caller has stored. Nothing needs to be read: if another
   * attempt began in the meantime, it took the next record number, and the first write detects that.
   */
  static openFirst(init: AttemptInit): Journal {
    return new Journal(Attempt.afterFirstRecord(init), "");
  }

  /** Starts to count the time of the attempt, for an attempt that was made before its run was stored. */
  startClock(): void {
    this.#attempt.startClock();
  }

  get runId(): string {
    return this.#attempt.runId;
  }

  get durable(): DurableRun {
    return this;
  }

  /** True if an earlier attempt began the run. */
  get isResumed(): boolean {
    return this.attempt > 1;
  }

  /** The number of the attempt at the run, from 1. */
  get attempt(): number {
    return this.#attempt.number;
  }

  /**
   * The end of a run that ended before this attempt; otherwise undefined. If it is set, the attempt was not logged and
   * has nothing to do.
   */
  get ended(): LogEnd | undefined {
    return this.#attempt.ended;
  }

  /** The earlier attempts in the log. After a crash the record of the run may count fewer. */
  get logged(): LoggedAttempts | undefined {
    return this.#attempt.logged;
  }

  /** The earlier attempts according to the log: results, calls, waits, and attempts whose process died. */
  get past(): LoggedPast {
    return this.#attempt;
  }

  /** How the previous attempt ended: by a crash, an orderly handover, or a wait. */
  get continuesAfter(): "crash" | "handover" | "wait" {
    return this.#attempt.continuesAfter;
  }

  /** Calls the listener the first time that the attempt finishes a step or reaches a wait. */
  set onProgress(listener: () => void) {
    this.#attempt.onProgress = listener;
  }

  /** Calls the listener with each model call of the run, before the call is made. */
  set onModelCall(listener: (call: NotedModelCall) => void) {
    this.#attempt.onModelCall = listener;
  }

  /** True if any step of the run is done. */
  get hasResults(): boolean {
    return this.#attempt.results.size > 0;
  }

  /** Aborts with a `RunPaused` if the attempt stops before the run's end. */
  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  /** The reason for which the attempt stopped before the run's end. */
  get stopped(): PauseReason | undefined {
    return this.#attempt.stopped;
  }

  /** Milliseconds that all attempts have worked, without waits. An earlier attempt counts up to its last logged wait. */
  get performedMs(): number {
    return this.#attempt.performedMs;
  }

  /** The waits without an answer that this attempt has reached. */
  get waits(): readonly RunWait[] {
    return this.#attempt.waits;
  }

  // oxlint-disable-next-line max-params -- the shape of RunSteps
  step<Value>(
    key: string,
    kind: StepKind,
    work: (step?: OpenStep) => Value | Promise<Value>,
    options: StepOptions<Value> = {},
  ): Value | Promise<Value> {
    const step = { journal: this, key, kind, options };
    if (keepsFailure[kind]) return runJournalStep({ ...step, work });
    const stored = this.stored(key);
    return stored === undefined ? doStep(step, work) : replayStep(stored, step);
  }

  // oxlint-disable-next-line max-params -- the shape of RunSteps
  stream<Chunk extends object, Value>(
    key: string,
    kind: StepKind,
    work: (step?: OpenStep) => AsyncGenerator<Chunk, Value>,
    options: StepOptions<Value> = {},
  ): AsyncGenerator<Chunk, Value> {
    const step = { journal: this, key, kind, options };
    return keepsFailure[kind] ? streamJournalStep(step, work) : streamStep(step, work);
  }

  endOf(key: string): StepEnd | undefined {
    return endOfStep(this, key);
  }

  /** Returns the journal of a part of the run, such as a tool call. Its step keys begin with `key`. */
  part(key: string): Journal {
    return new Journal(this.#attempt, `${this.#scope}${key}/`);
  }

  /** Returns the journal of the next child run that this part of the run starts. */
  child(): Journal {
    return this.part(`c${this.#children++}`);
  }

  /** Returns a UUID for a key in this part of the run, which is the same in every attempt. */
  id(key: string): string {
    return uuidOf(`${this.runId}/${this.#scope}${key}`);
  }

  /** Returns the result of a step that this or an earlier attempt has done. */
  stored(key: string): JournalResult | undefined {
    return this.#attempt.results.get(this.#scope + key);
  }

  /**
   * Returns the values of all steps with this key in this part of the run and its child runs, in the order of
   * completion. A step matches if its key equals `key` or ends with `/` and `key`.
   */
  valuesOf(key: string): Json[] {
    const steps = [...this.#attempt.results].filter(([step]) => step.startsWith(this.#scope));
    return steps.filter(([step]) => `/${step}`.endsWith(`/${key}`)).map(([, { value }]) => value);
  }

  /** Begins a journal step with this key, and returns it. */
  begin(key: string): BegunStep {
    return this.#attempt.beginStep(this.#scope + key);
  }

  hold(key: string): () => void {
    return this.#attempt.hold(this.#scope + key);
  }

  /** Returns true if an earlier attempt has logged this step, or anything within it. */
  hasBegun(key: string): boolean {
    return this.#attempt.hasBegun(this.#scope + key);
  }

  /** Returns the step's logged call without a result, and how often it was made. The call may have had its effect. */
  callOf(key: string): InterruptedCall | undefined {
    return this.#attempt.calls.get(this.#scope + key);
  }

  /** Returns true if an attempt has reached a wait of this kind in the step, answered or not. */
  hasWait(key: string, kind: WaitKind): boolean {
    return this.#attempt.knownWait(waitIdOf(this.#scope + key, kind)) !== undefined;
  }

  /**
   * Forbids new work in this attempt. It then only reads finished steps, and calls `endRun` at the first unfinished
   * step, to abort the run's signal.
   */
  endAtNewWork(endRun: () => void): void {
    this.#attempt.endAtNewWork(endRun);
  }

  /** Resolves once `endRun` was called; a step awaits this before its work. Undefined if new work is allowed. */
  beforeWork(): Promise<void> | undefined {
    return this.#attempt.beforeWork();
  }

  /**
   * Logs that a tool is about to be called, and resolves when that entry is stored. Call the tool only afterwards. If
   * the process is paused before, other processes may consider it dead and take over the call. Therefore, if storing
   * took long, this method logs the call again, at most three times, and rejects with `RunPaused` after a takeover.
   */
  async call(key: string, call: NotedCall): Promise<void> {
    await logCall(this.#attempt, this.#scope + key, call);
  }

  /**
   * Returns the answer to the step's wait if it is stored. Otherwise logs the wait. Once all steps in progress wait,
   * the attempt stops as suspended, and the promise rejects with the `RunPaused`. At the time `until` an approval is
   * answered as denied, a sleep is over, and other waits reject as `timeout`. A wait for an event is answered by the
   * first signal of that event that no other step has taken.
   */
  async wait(key: string, request: StepQuestion): Promise<Json> {
    return await logWait(this.#attempt, this.#scope + key, request);
  }

  /**
   * Logs a chunk that the run's stream has yielded. Returns a promise while the storage is too slow, for backpressure.
   */
  write(chunk: RunChunk, inner: object = chunk): Promise<void> | undefined {
    return this.#attempt.writeChunk(chunk, inner);
  }

  /** Notes that a chunk made from another chunk belongs to the same step. */
  tagLike(copy: object, chunk: object): void {
    this.#attempt.tagLike(copy, chunk);
  }

  /** Writes the entries of the run's log immediately. Resolves when they are stored. */
  async flush(): Promise<void> {
    await this.#attempt.flush();
  }

  /** Logs the end of the run. Resolves when it is stored. */
  async end(end: Omit<LogEnd, "t">): Promise<void> {
    await this.#attempt.add({ t: "end", ...end });
  }

  /**
   * Stops the attempt because the session's storage cannot be reached; a later attempt continues. Does nothing if
   * several consecutive attempts have finished no step: the failure then ends the run.
   */
  failStorage(cause: TroupeError): void {
    if (this.#attempt.storageFailures + 1 < mostStorageFailures) this.#attempt.stop("failed", cause);
  }

  /**
   * Stops the attempt, so that another attempt continues the run. Finished work is still written: `flush` waits for it.
   */
  release(): void {
    this.#attempt.stop("released");
  }
}
