import { getTextContent } from "../../base/message/content.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { deriveContext } from "../run/derive-context.ts";
import type { Run } from "../run/run.ts";
import type { OpenStep, RunSteps, NotedCall } from "../run/run-steps.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import { isCancelled } from "../../base/retry/is-retryable.ts";
import { textOfFailedRun } from "./agent-step.ts";
import { retryStep } from "./retry-step.ts";
import type { StepRetryOptions } from "./retry-step.ts";
import type { StateChange } from "./state-change.ts";
import type { StateRecord } from "./state-shape.ts";
import type { StepTrace, StepTraceEntry } from "./step-trace.ts";
import type { RetryPolicy } from "./workflow-config.ts";
import type { StepEvent } from "./workflow-result.ts";
import type { StepContext } from "./workflow-step.ts";

/**
 * A receiver of the events of a workflow's steps, such as a stream. It decides which agents stream, and if a step may
 * be repeated after it has streamed.
 */
export type StepObserver = {
  /** Returns true if the agent of the step must stream. */
  wantsChunks(step: string): boolean;
  /** True if a step may be repeated after its chunks were emitted. */
  readonly allowsRepeat: boolean;
  /**
   * Receives an event of a step. The step continues when the returned promise resolves, or immediately if no promise is
   * returned.
   */
  onEvent(event: StepEvent): Promise<void> | undefined;
};

/** Constructor options of a `StepRunner`: the run, the retry policy, the trace, and the observer of the events. */
export type StepRunnerOptions = {
  readonly run: Run<StateRecord>;
  readonly retryPolicy: RetryPolicy | undefined;
  readonly trace: StepTrace;
  readonly observer: StepObserver;
};

/**
 * The scope of a sequence of steps: the state and last message at its start, its signal, and the receiver of its
 * changes.
 */
export type StepScope = {
  /**
   * The state, and the last message: the last agent answer or, before the first answer, the run's text input if it has
   * one.
   */
  readonly before: { readonly state: StateRecord; readonly message: MessageContent | undefined };
  readonly signal: AbortSignal;
  /**
   * Receives the changes made so far in this scope. Changes of parallel steps count only when all of these steps are
   * done.
   */
  readonly onChange: (change: StateChange) => void;
};

/** One attempt at a step: its context, and the meter of its child runs. */
type StepAttempt = { readonly context: StepContext; readonly meter: UsageMeter };
/** The work of an attempt at a step. `open` is the step in progress, in a durable run. */
export type Work<Result> = (attempt: StepAttempt, open?: OpenStep) => Promise<Result>;

/** The work of a step, its scope, the treatment of its failure, and the effect of calls to third-party code. */
export type StepWork<Result> = Pick<StepRetryOptions<Result>, "mayRepeat"> & {
  readonly scope: StepScope;
  readonly work: Work<Result>;
  /** True if the text of a failed child run becomes the text of the run. */
  readonly keepsText?: true;
  /** The call that a durable run notes before the work. If undefined, interrupted work is simply repeated. */
  readonly call?: Pick<NotedCall, "tool" | "effect"> | undefined;
  readonly readAnswer?: (result: unknown) => Result;
};

/**
 * Performs the work of a step, and repeats it by the retry policy. In a durable run an attempt with a stored end is not
 * repeated.
 */
export async function attemptStep<Result>(
  { run, retryPolicy: policy, observer }: StepRunnerOptions,
  { name, step: traced }: StepTraceEntry,
  step: StepWork<Result>,
): Promise<Result> {
  const { before, signal } = step.scope;
  const text = getTextContent(before.message ?? null);
  const onRepeat = () => observer.onEvent({ type: "step_retry", step: name });
  const made = await traced.repeatedFailures(run, onRepeat);
  return await retryStep({
    name,
    policy,
    signal,
    mayRepeat: step.mayRepeat,
    onRepeat,
    made,
    work: async (count, isTransient) => {
      try {
        const attempt = startAttempt(run, { name, signal, text, steps: traced.partOf(count) });
        const repeats = (error: unknown) => isRepeated(error, policy, count) && isTransient(error);
        return await traced.attempt(count, (open) => step.work(attempt, open), {
          meter: attempt.meter,
          signal,
          repeats,
          call: step.call && { ...step.call, args: {}, key: attempt.context.idempotencyKey ?? "" },
          readAnswer: step.readAnswer,
        });
      } catch (error) {
        if (step.keepsText === true) keepText(step.scope, error);
        throw error;
      }
    },
  });
}

/** Returns true if the retry policy allows another attempt after this error. `made`: the number of attempts so far. */
function isRepeated(error: unknown, policy: RetryPolicy | undefined, made: number): boolean {
  return made < (policy?.maxRetries ?? 0) && !isCancelled(error);
}

function keepText({ onChange }: StepScope, error: unknown): void {
  const text = textOfFailedRun(error);
  if (text !== "") onChange({ partial: {}, text });
}

type AttemptFacts = {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly text: string;
  /** The steps of the attempt's child runs. */
  readonly steps: RunSteps;
};

/**
 * Starts an attempt at a workflow step, with its own context and usage meter. API keys, user and limits are the run's,
 * and the usage also counts for the run.
 */
function startAttempt(run: Run, { name, signal, text, steps }: AttemptFacts): StepAttempt {
  const meter = new UsageMeter({ parent: run.meter });
  const facts = { signal, text, idempotencyKey: `${run.runId}/${name}`, logger: run.logger.child({ step: name }) };
  return { context: deriveContext(run.context, facts, { meter, steps }), meter };
}
