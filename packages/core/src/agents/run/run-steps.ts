import type { Source } from "../../base/message/source.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import type { ToolEffect } from "../../base/message/tool-call.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ModelCallBegin } from "../../base/telemetry/operations.ts";
import { createId } from "../../base/util/create-id.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { PauseReason } from "./run-paused.ts";
import type { RunWait, StepQuestion } from "./run-wait.ts";
import type { UsageMeter } from "./usage-meter.ts";

/**
 * The kind of a step. `check`: guardrails and hooks that check a text. `model`: a model call. `tool`: a tool call.
 * `member`: a run of a team's member. `function`: an attempt at a workflow step. `turn`: the turn of a session that
 * lasts only as long as the run.
 */
export type StepKind = "check" | "model" | "tool" | "member" | "function" | "turn";

/**
 * A call of a tool or function that may change something outside the run, recorded before the call is made. `key` is
 * the call's idempotency key.
 */
export type NotedCall = {
  readonly tool: string;
  readonly args: Json;
  readonly effect: ToolEffect;
  readonly key: string;
};

/** A model call that a durable run is about to make, with the key of its step in the log of the run. */
export type NotedModelCall = ModelCallBegin & { readonly runId: string; readonly step: string };

/** A recorded call without a recorded result. `times` is the number of times that the call was made. */
export type InterruptedCall = NotedCall & { readonly times: number };

/** The part of a run that collects the sources added by its tool calls. */
export interface CitingRun {
  readonly sources: readonly Source[];
  citesSources: boolean;
  passOnSources(sources: readonly Source[]): unknown;
}

/** Options of a step. All of them concern only durable runs. */
export type StepOptions<Value> = {
  /** Counts the usage of the step. A later attempt that reads the stored step adds the same usage again. */
  readonly meter?: UsageMeter | undefined;
  /** Returns the usage that is part of the step's value. @default the usage that the meter counted */
  readonly usageOf?: ((value: Value) => TokenUsage) | undefined;
  /**
   * The run to which a tool call adds sources, and the number of the run's sources before the tool calls of this model
   * answer began. Results contain the numbers of sources, so sources that parallel calls added earlier are stored too.
   * A later attempt adds all of them to the run.
   */
  readonly sources?: { readonly run: CitingRun; readonly before: number } | undefined;
  /** The name of the step in error messages, such as `The step "charge"`. */
  readonly place?: string | undefined;
  /**
   * Signal that aborts when the step must end without a result. The run's next attempt then performs the step again.
   */
  readonly signal?: AbortSignal | undefined;
  /** The call to record before work that has an effect. Undefined for work that may be repeated. */
  readonly call?: NotedCall | undefined;
  /**
   * Returns true if the step is repeated after this failure. The returned value is stored with the failure. @default
   * never
   */
  readonly repeats?: ((error: unknown) => boolean) | undefined;
  /** Converts the result in a person's answer into the value of a call that took place. */
  readonly readAnswer?: ((result: unknown) => Value) | undefined;
  /** Returns the stored form of the value. @default the value itself */
  readonly toStored?: ((value: Value) => unknown) | undefined;
  /**
   * Returns the value that has this stored form, and repeats the value's effects on the run, such as recorded sources.
   * Called instead of the work if the step is stored.
   */
  readonly replay?: ((stored: Json) => Value) | undefined;
};

/** A step of a durable run while its work is done. In a run that is not durable, the work receives no such object. */
export interface OpenStep {
  /** Notes that a chunk belongs to the step. Readers discard the chunk if the step ends without a result. */
  tag(chunk: object): void;
  /**
   * Reports the model call that the step is about to make, to those who watch the model calls of the process. Calls
   * `describe` only if there are any.
   */
  noteModelCall(describe: () => ModelCallBegin): void;
  /** The step's call, if an earlier process ended during the call. The call may have had its effect. */
  readonly interrupted: InterruptedCall | undefined;
  /** True if an earlier attempt did a part of the step, so that the beginning of the step was already announced. */
  readonly isResumed: boolean;
  /** True if a person was already asked to approve the step's call. */
  readonly hasAskedApproval: boolean;
  /** The meter and the steps of child runs that the step's work starts. */
  readonly scope: { readonly meter: UsageMeter | undefined; readonly steps: RunSteps };
  /** In an attempt that may begin no new work, resolves when the run has ended. Undefined in any other attempt. */
  beforeWork(): Promise<void> | undefined;
  /**
   * Notes that a call is about to be made. Make the call once this resolves. Notes nothing for a call of effect `pure`.
   */
  announce(call: NotedCall): Promise<void>;
  /** Returns the answer to a question about the step. The run may be suspended until there is an answer. */
  ask(question: StepQuestion): Promise<Json>;
  /** Stores the value of the step immediately, because the work itself emits the events about this value. */
  done(value: unknown): void;
}

/** The stored end of a step: its duration, usage, and the error of a failed step. */
export type StepEnd = {
  readonly ms: number;
  readonly usage?: TokenUsage;
  readonly error?: TroupeError;
  /** True if the step failed and was then repeated. */
  readonly isRepeated: boolean;
};

/** A durable run as it is performed by this process. */
export interface DurableRun {
  readonly runId: string;
  /** The number of the attempt at the run, from 1. */
  readonly attempt: number;
  /** The end of the attempt before this attempt. */
  readonly continuesAfter: "crash" | "handover" | "wait";
  /** The steps in progress. `waits` are the waits without an answer that this attempt has reached. */
  readonly steps: { readonly waits: readonly RunWait[] };
  /** Milliseconds that all attempts have worked, excluding waits. */
  readonly performedMs: number;
  /** Aborts if the attempt stops before the run's end. */
  readonly signal: AbortSignal;
  /** The reason for which the attempt stopped before the run's end. */
  readonly stopped: PauseReason | undefined;
  /** The steps to which chunks belong. `tagLike` records that a chunk made from another chunk belongs to its step. */
  readonly chunkSteps: { tagLike(copy: object, chunk: object): void };
  /**
   * Stops the attempt because the session's storage cannot be reached. Does nothing if that has happened several times
   * in a row.
   */
  failStorage(cause: TroupeError): void;
}

/**
 * The steps of a run, or of a part of a run. In a durable run each step is done once: its value is stored under its
 * key, and a later process reads the value instead of doing the work. Otherwise a step only does its work.
 */
export interface RunSteps {
  /** The durable run as this process performs it; undefined if the run is not durable. */
  readonly durable: DurableRun | undefined;
  /** True if an earlier process began the run, so that some steps may be done. */
  readonly isResumed: boolean;
  /** Returns the value of a step: the stored value, or the value of its work. */
  step<Value>(
    key: string,
    kind: StepKind,
    work: (step?: OpenStep) => Value | Promise<Value>,
    options?: StepOptions<Value>,
  ): Value | Promise<Value>;
  /** Does the same as `step`, for work that yields chunks. A step whose value is stored yields no chunks. */
  stream<Chunk extends object, Value>(
    key: string,
    kind: StepKind,
    work: (step?: OpenStep) => AsyncGenerator<Chunk, Value>,
    options?: StepOptions<Value>,
  ): AsyncGenerator<Chunk, Value>;
  /** Returns the steps of a part of the run, such as a tool call. Their keys begin with `key`. */
  part(key: string): RunSteps;
  /** Returns the steps of the next child run of this part. */
  child(): RunSteps;
  /** Returns a UUID for a key in this part. In a durable run it is the same in every process. */
  id(key: string): string;
  /** Returns the stored end of a step; undefined if the step has not ended. */
  endOf(key: string): StepEnd | undefined;
  /** Returns true if an earlier process has begun a step or a part within it. */
  hasBegun(key: string): boolean;
  /** Returns the stored values of all steps with this key in this part and its child runs, in order. */
  valuesOf(key: string): Json[];
  /**
   * Returns the answer to a question that belongs to no step. The run may be suspended for it. Rejects in a plain run.
   */
  wait(key: string, question: StepQuestion): Promise<Json>;
  /** Resolves once all finished steps are stored. */
  flush(): Promise<void>;
}

/** The steps of a run that is not durable: each only does its work, and nothing is recorded. */
export const plainSteps: RunSteps = {
  durable: undefined,
  isResumed: false,
  step: (_key, _kind, work) => work(),
  stream: (_key, _kind, work) => work(),
  part: () => plainSteps,
  child: () => plainSteps,
  id: () => createId(),
  endOf: () => undefined,
  hasBegun: () => false,
  valuesOf: () => [],
  wait: async () => await Promise.reject(new TroupeError("invalid_config", "This run cannot wait for an answer.")),
  flush: async () => await Promise.resolve(),
};
