import type { ToolCallResult } from "../../base/message/tool-call.ts";
import type { Source } from "../../base/message/source.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ModelCallBegin } from "../../base/telemetry/operations.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type {
  CitingRun,
  DurableRun,
  InterruptedCall,
  OpenStep,
  RunSteps,
  NotedCall,
  StepKind,
  StepOptions,
} from "../run/run-steps.ts";
import type { StepQuestion, WaitKind } from "../run/run-wait.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import type { JournalResult } from "./log-entry.ts";
import type { NewWork } from "./new-work.ts";

/**
 * The stored form of a tool call: its result, and the sources that had been added to the run when the call ended, by
 * all tool calls of the same model answer. `cites` is true if the answer may cite the sources by number.
 */
type StoredCall = { readonly result: ToolCallResult; readonly sources?: readonly Source[]; readonly cites?: true };

/** A journal step in progress. The caller that began it calls `done` or `leave` at its end. */
export type BegunStep = {
  /**
   * Notes that a chunk of the stream belongs to this step. If the step ends without a result, readers discard the chunk,
   * because the next attempt sends it again.
   */
  tag(chunk: object): void;
  /** Reports the model call that the step is about to make. */
  noteModelCall(describe: () => ModelCallBegin): void;
  /** Logs the result of the journal step and ends it. */
  done(value: unknown, usage?: TokenUsage): void;
  /** Ends the step without a result, so that the next attempt performs it again. Does nothing after `done`. */
  leave(): void;
};

/** The parts of a journal that its steps use. */
export interface StepLog {
  readonly isResumed: boolean;
  /**
   * The attempt at the run. `stopped` is the reason for which it stopped before the run's end. A step awaits
   * `newWork.before` before its work.
   */
  readonly durable: Pick<DurableRun, "stopped"> & { readonly newWork: Pick<NewWork, "before"> };
  stored(key: string): JournalResult | undefined;
  begin(key: string): BegunStep;
  hasBegun(key: string): boolean;
  /** Keeps the run from being suspended before a step that is about to begin, until the returned function is called. */
  hold(key: string): () => void;
  callOf(key: string): InterruptedCall | undefined;
  hasWait(key: string, kind: WaitKind): boolean;
  call(key: string, call: NotedCall): Promise<void>;
  wait(key: string, question: StepQuestion): Promise<Json>;
  part(key: string): RunSteps;
}

/** A step that a journal must do, with the kind of the step. */
export type StepOfKind<Value> = {
  readonly journal: StepLog;
  readonly key: string;
  readonly kind: StepKind;
  readonly options: StepOptions<Value>;
};

/** A step of a journal while its work is done, from its beginning to its result or to its end without a result. */
export class OpenJournalStep<Value> implements OpenStep {
  readonly interrupted: InterruptedCall | undefined;
  readonly isResumed: boolean;
  readonly #step: StepOfKind<Value>;
  /** Counts the usage of the child runs of a tool call. */
  readonly #callMeter: UsageMeter | undefined;
  readonly #begun: BegunStep;

  constructor(step: StepOfKind<Value>) {
    const { journal, key, kind, options } = step;
    this.#step = step;
    this.#callMeter = kind === "tool" ? new UsageMeter({ parent: options.meter }) : undefined;
    this.interrupted = journal.callOf(key);
    this.isResumed = journal.hasBegun(key);
    this.#begun = journal.begin(key);
  }

  get hasAskedApproval(): boolean {
    const { journal, key } = this.#step;
    return journal.hasWait(key, "approval");
  }

  get scope(): { readonly meter: UsageMeter | undefined; readonly steps: RunSteps } {
    const { journal, key, options } = this.#step;
    return { meter: this.#callMeter ?? options.meter, steps: journal.part(key) };
  }

  tag(chunk: object): void {
    this.#begun.tag(chunk);
  }

  noteModelCall(describe: () => ModelCallBegin): void {
    this.#begun.noteModelCall(describe);
  }

  beforeWork(): Promise<void> | undefined {
    return this.#step.journal.durable.newWork.before();
  }

  async announce(call: NotedCall): Promise<void> {
    const { journal, key } = this.#step;
    if (call.effect !== "pure") await journal.call(key, call);
  }

  async ask(question: StepQuestion): Promise<Json> {
    const { journal, key } = this.#step;
    const times = this.interrupted?.times ?? 1;
    // After each further interruption of a tool call, a person is asked again whether the call had its effect.
    return await journal.wait(question.kind === "doubt" && times > 1 ? `${key}/${times}` : key, question);
  }

  done(value: unknown): void {
    const { kind, options } = this.#step;
    const usage = options.usageOf?.(value as Value) ?? usedBy(this.#callMeter ?? options.meter);
    if (kind !== "tool") return this.#begun.done(options.toStored?.(value as Value) ?? value, usage);
    this.#begun.done({ result: value, ...storedSources(options.sources) }, usage);
  }

  /** Stores the outcome of a step whose failure is stored like its value. */
  end(outcome: unknown): void {
    this.#begun.done(outcome, usedBy(this.#step.options.meter));
  }

  /** Ends this attempt at the step. If no result was stored, the next attempt at the run performs the step again. */
  leave(): void {
    this.#begun.leave();
  }
}

/** Does the work of a step and stores its value. Stores nothing if the work fails. */
export async function doStep<Value>(
  step: StepOfKind<Value>,
  work: (open: OpenJournalStep<Value>) => Value | Promise<Value>,
): Promise<Value> {
  const open = new OpenJournalStep(step);
  try {
    const value = await work(open);
    // The work of a tool call stores the result itself, before it emits the events of the call.
    if (step.kind !== "tool") open.done(value);
    return value;
  } finally {
    open.leave();
  }
}

/** Does the same as `doStep` for work that yields chunks. If the step's value is stored, returns it without chunks. */
export async function* streamStep<Chunk extends object, Value>(
  step: StepOfKind<Value>,
  work: (open: OpenJournalStep<Value>) => AsyncGenerator<Chunk, Value>,
): AsyncGenerator<Chunk, Value> {
  const stored = step.journal.stored(step.key);
  if (stored !== undefined) return replayStep(stored, step);
  const open = new OpenJournalStep(step);
  try {
    const value = yield* work(open);
    open.done(value);
    return value;
  } finally {
    open.leave();
  }
}

/**
 * Returns the value of a stored step, and repeats its effects on the run: usage, sources, and the effects that `replay`
 * repeats.
 */
export function replayStep<Value>(stored: JournalResult, { kind, options }: StepOfKind<Value>): Value {
  if (stored.usage !== undefined) options.meter?.add(stored.usage);
  if (kind !== "tool") return options.replay?.(stored.value) ?? (stored.value as Value);
  const { result, ...cited } = stored.value as unknown as StoredCall;
  if (options.sources !== undefined) addAgain(options.sources.run, cited);
  return options.replay?.(result as unknown as Json) ?? (result as Value);
}

/** Returns the sources that the tool calls of one model answer have added to the run so far. */
function storedSources(given: StepOptions<unknown>["sources"]): Omit<StoredCall, "result"> {
  if (given === undefined) return {};
  const sources = given.run.sources.slice(given.before);
  return { ...(sources.length > 0 && { sources }), ...(given.run.citesSources && { cites: true as const }) };
}

/** Adds the sources of a stored tool call to the run. */
function addAgain(run: CitingRun, { sources, cites }: Omit<StoredCall, "result">): void {
  if (sources !== undefined) run.passOnSources(sources);
  run.citesSources ||= cites === true;
}

/** Returns the usage that a meter has counted; undefined if it has counted nothing. */
function usedBy(meter: UsageMeter | undefined): TokenUsage | undefined {
  return meter === undefined || meter.total.totalTokens === 0 ? undefined : meter.total;
}
