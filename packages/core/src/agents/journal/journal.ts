import { uuidOf } from "../../base/util/create-id.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { Attempt } from "./attempt.ts";
import type { AttemptInit } from "./attempt.ts";
import type { JournalResult } from "./log-entry.ts";
import type { InterruptedCall, OpenStep, RunSteps, NotedCall } from "../run/run-steps.ts";
import type { StepEnd, StepKind, StepOptions } from "../run/run-steps.ts";
import type { StepQuestion, WaitKind } from "../run/run-wait.ts";
import { endOfStep, keepsFailure, runJournalStep, streamJournalStep } from "./journal-step.ts";
import { logCall, logWait, waitIdOf } from "./log-question.ts";
import { doStep, replayStep, streamStep } from "./open-step.ts";
import type { BegunStep, StepLog } from "./open-step.ts";

/**
 * The journal of one attempt at a durable run. Each step (a model call, a tool call, a function) is logged under a key.
 * A later attempt reads the step's result from the journal and does not repeat the step. Parts of the run and child
 * runs have their own journals over the same attempt, with prefixed keys.
 */
export class Journal implements RunSteps, StepLog {
  /** The attempt at the run, which all journals of the run share. */
  readonly durable: Attempt;
  /** The prefix of all step keys in this journal: empty, or a path that ends with `/`. */
  readonly #scope: string;
  #children = 0;

  private constructor(attempt: Attempt, scope: string) {
    this.durable = attempt;
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
    await journal.durable.start(init);
    return journal;
  }

  /**
   * Continues the first attempt at a run whose first record the caller has stored. Nothing needs to be read: if another
   * attempt began in the meantime, it took the next record number, and the first write detects that.
   */
  static openFirst(init: AttemptInit): Journal {
    return new Journal(Attempt.afterFirstRecord(init), "");
  }

  /** True if an earlier attempt began the run. */
  get isResumed(): boolean {
    return this.durable.attempt > 1;
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
    return new Journal(this.durable, `${this.#scope}${key}/`);
  }

  /** Returns the journal of the next child run that this part of the run starts. */
  child(): Journal {
    return this.part(`c${this.#children++}`);
  }

  /** Returns a UUID for a key in this part of the run, which is the same in every attempt. */
  id(key: string): string {
    return uuidOf(`${this.durable.runId}/${this.#scope}${key}`);
  }

  /** Returns the result of a step that this or an earlier attempt has done. */
  stored(key: string): JournalResult | undefined {
    return this.durable.results.get(this.#scope + key);
  }

  /**
   * Returns the values of all steps with this key in this part of the run and its child runs, in the order of
   * completion. A step matches if its key equals `key` or ends with `/` and `key`.
   */
  valuesOf(key: string): Json[] {
    const steps = [...this.durable.results].filter(([step]) => step.startsWith(this.#scope));
    return steps.filter(([step]) => `/${step}`.endsWith(`/${key}`)).map(([, { value }]) => value);
  }

  /** Begins a journal step with this key, and returns it. */
  begin(key: string): BegunStep {
    return this.durable.beginStep(this.#scope + key);
  }

  hold(key: string): () => void {
    return this.durable.steps.open(this.#scope + key);
  }

  /** Returns true if an earlier attempt has logged this step, or anything within it. */
  hasBegun(key: string): boolean {
    return this.durable.hasBegun(this.#scope + key);
  }

  /** Returns the step's logged call without a result, and how often it was made. The call may have had its effect. */
  callOf(key: string): InterruptedCall | undefined {
    return this.durable.calls.get(this.#scope + key);
  }

  /** Returns true if an attempt has reached a wait of this kind in the step, answered or not. */
  hasWait(key: string, kind: WaitKind): boolean {
    return this.durable.knownWait(waitIdOf(this.#scope + key, kind)) !== undefined;
  }

  /**
   * Logs that a tool is about to be called, and resolves when that entry is stored. Call the tool only afterwards. If
   * the process is paused before, other processes may consider it dead and take over the call. Therefore, if storing
   * took long, this method logs the call again, at most three times, and rejects with `RunPaused` after a takeover.
   */
  async call(key: string, call: NotedCall): Promise<void> {
    await logCall(this.durable, this.#scope + key, call);
  }

  /**
   * Returns the answer to the step's wait if it is stored. Otherwise logs the wait. Once all steps in progress wait,
   * the attempt stops as suspended, and the promise rejects with the `RunPaused`. At the time `until` an approval is
   * answered as denied, a sleep is over, and other waits reject as `timeout`. A wait for an event is answered by the
   * first signal of that event that no other step has taken.
   */
  async wait(key: string, request: StepQuestion): Promise<Json> {
    return await logWait(this.durable, this.#scope + key, request);
  }

  /** Writes the entries of the run's log immediately. Resolves when they are stored. */
  async flush(): Promise<void> {
    await this.durable.flush();
  }
}
