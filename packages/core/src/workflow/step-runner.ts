import { TroupeError } from "../errors/troupe-error.ts";
import { getTextContent } from "../message/content.ts";
import type { MessageContent } from "../message/content.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { deriveContext } from "../run/derive-context.ts";
import type { Run } from "../run/run.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import { agentStepInput, runAgentStep, textOfFailedRun } from "./agent-step.ts";
import { retryStep, createStepError } from "./retry-step.ts";
import type { StepRetryOptions } from "./retry-step.ts";
import {
  combineChanges,
  changeFromAnswer,
  changeFromFunction,
  mergeParallelChanges,
  noStateChange,
} from "./state-change.ts";
import type { StateChange } from "./state-change.ts";
import { copyState } from "./state-shape.ts";
import type { StateRecord } from "./state-shape.ts";
import type { StepTrace } from "./step-trace.ts";
import type { CheckedStep, CheckedStepOf } from "./steps.ts";
import type { RetryPolicy } from "./workflow-config.ts";
import type { StepEvent } from "./workflow-result.ts";
import type { StepContext } from "./workflow-step.ts";

/**
 * A receiver of the events of a workflow's steps, such as a stream. It decides which agents stream, and whether a step
 * may be repeated after it has streamed.
 */
export type StepObserver = {
  /** Tells whether the agent of the step is to stream. */
  wantsChunks(step: string): boolean;
  /** True when a step may be repeated after its chunks were emitted. */
  readonly allowsRepeat: boolean;
  /** Takes an event; the step goes on when the promise resolves. */
  onEvent(event: StepEvent): Promise<void> | undefined;
};

/** Constructor options of a `StepRunner`: the run, the retry policy, the trace, and the observer of the events. */
export type StepRunnerOptions = {
  readonly run: Run<StateRecord>;
  readonly retryPolicy: RetryPolicy | undefined;
  readonly trace: StepTrace;
  readonly observer: StepObserver;
};

/** The state and last message that a sequence of steps starts from, its signal, and the receiver of its changes. */
export type StepScope = {
  /** The state, and the last message: the last agent answer or, before one, the text input of the run if it has one. */
  readonly before: { readonly state: StateRecord; readonly message: MessageContent | undefined };
  readonly signal: AbortSignal;
  /** Receives the changes made so far in this scope. Those of parallel steps count only when all are done. */
  readonly onChange: (change: StateChange) => void;
};

/** One attempt at a step: its context, and the meter of its child runs. */
type Attempt = { readonly context: StepContext; readonly meter: UsageMeter };
type Work<Result> = (attempt: Attempt) => Result | Promise<Result>;

/** Runs the steps of one run of a workflow, in sequence or in parallel, with retries, trace and events. */
export class StepRunner {
  readonly #options: StepRunnerOptions;

  constructor(options: StepRunnerOptions) {
    this.#options = options;
  }

  /** Runs steps one after the other; each sees the changes of those before it. */
  async runAll(steps: readonly CheckedStep[], scope: StepScope): Promise<StateChange> {
    let change = noStateChange;
    for (const step of steps) {
      change = combineChanges(change, await this.#runOne(step, scopeAfter(scope, change)));
      scope.onChange(change);
    }
    return change;
  }

  async #runOne(step: CheckedStep, scope: StepScope): Promise<StateChange> {
    scope.signal.throwIfAborted();
    const { trace, observer } = this.#options;
    const { name } = step;
    const entry = trace.start(name);
    await observer.onEvent({ type: "step_start", step: name });
    try {
      const change = await this.#execute(step, scope);
      const end = entry.end(change === undefined ? "skipped" : "completed");
      if (step.kind === "agent") entry.output = change?.partial[name];
      await observer.onEvent({ type: "step_end", step: name, ...end });
      return change ?? noStateChange;
    } catch (error) {
      const end = entry.end(scope.signal.aborted ? "cancelled" : "error", error);
      // Not awaited: parallel steps are to be aborted at once, however slow the reader is.
      void observer.onEvent({ type: "step_end", step: name, ...end });
      throw error;
    }
  }

  /** Returns the change of the step; undefined when it is skipped. */
  async #execute(step: CheckedStep, scope: StepScope): Promise<StateChange | undefined> {
    switch (step.kind) {
      case "agent":
        return await this.#runAgent(step, scope);
      case "function":
        return await this.#callFunction(step, scope);
      case "condition":
        return (await this.#checkCondition(step, scope)) ? await this.runAll(step.steps, scope) : undefined;
      default:
        return await this.#runParallel(step, scope);
    }
  }

  async #runAgent(step: CheckedStepOf<"agent">, scope: StepScope): Promise<StateChange> {
    const { observer } = this.#options;
    const { name } = step;
    let hasStreamed = false;
    const forward = async (chunk: StreamChunk): Promise<void> => {
      hasStreamed = true;
      await observer.onEvent({ type: "chunk", step: name, chunk });
    };
    const onChunk = observer.wantsChunks(name) ? forward : undefined;
    const work: Work<StateChange> = async (attempt) => {
      try {
        const input = agentStepInput(step, scope.before);
        return changeFromAnswer(await runAgentStep({ step, input, ...attempt, onChunk }), name);
      } catch (error) {
        const text = textOfFailedRun(error);
        if (text !== "") scope.onChange({ partial: {}, text });
        throw error;
      }
    };
    return await this.#attempt(name, scope, { work, mayRepeat: () => observer.allowsRepeat || !hasStreamed });
  }

  async #callFunction({ name, run }: CheckedStepOf<"function">, scope: StepScope): Promise<StateChange> {
    const work: Work<StateChange> = async ({ context }) =>
      changeFromFunction(await run(copyState(scope.before.state), context));
    return await this.#attempt(name, scope, { work });
  }

  async #checkCondition({ name, condition }: CheckedStepOf<"condition">, scope: StepScope): Promise<boolean> {
    const work: Work<boolean> = async () => Boolean(await condition(copyState(scope.before.state)));
    return await this.#attempt(name, scope, { work });
  }

  async #runParallel(
    { name, steps }: CheckedStepOf<"parallel">,
    { before, signal: outer }: StepScope,
  ): Promise<StateChange> {
    const onChange = () => undefined;
    const changes = await runParallel(steps, outer, (step, signal) => this.#runOne(step, { before, signal, onChange }));
    const names = steps.map((step) => step.name);
    try {
      return mergeParallelChanges(changes, names);
    } catch (error) {
      throw createStepError(name, error);
    }
  }

  async #attempt<Result>(
    name: string,
    { signal, before }: StepScope,
    { work, mayRepeat }: Pick<StepRetryOptions<Result>, "mayRepeat"> & { work: Work<Result> },
  ): Promise<Result> {
    const { retryPolicy: policy, run, observer } = this.#options;
    const text = getTextContent(before.message ?? null);
    return await retryStep({
      name,
      policy,
      signal,
      mayRepeat,
      onRepeat: () => observer.onEvent({ type: "step_retry", step: name }),
      work: () => work(startAttempt(run, { name, signal, text })),
    });
  }
}

function scopeAfter({ before, signal, onChange }: StepScope, change: StateChange): StepScope {
  return {
    before: { state: { ...before.state, ...change.partial }, message: change.text ?? before.message },
    signal,
    onChange: (further) => onChange(combineChanges(change, further)),
  };
}

/** Each attempt has its own context and meter. Keys, user and limits are the run's, and its usage counts for the run. */
function startAttempt(run: Run, { name, signal, text }: { name: string; signal: AbortSignal; text: string }): Attempt {
  const meter = new UsageMeter({ parent: run.meter });
  const facts = { signal, text, idempotencyKey: `${run.runId}/${name}`, logger: run.logger.child({ step: name }) };
  return { context: deriveContext(run.context, facts, { meter }), meter };
}

/** Runs all steps at once. The first failure aborts the others and is thrown at once, without waiting for them. */
async function runParallel<Result>(
  steps: readonly CheckedStep[],
  outer: AbortSignal,
  run: (step: CheckedStep, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const abort = new AbortController();
  const signal = AbortSignal.any([outer, abort.signal]);
  const runOne = async (step: CheckedStep): Promise<Result> => {
    try {
      return await run(step, signal);
    } catch (error) {
      abort.abort(new TroupeError("cancelled", `The parallel step ${JSON.stringify(step.name)} failed.`));
      throw error;
    }
  };
  return await Promise.all(steps.map(runOne));
}
