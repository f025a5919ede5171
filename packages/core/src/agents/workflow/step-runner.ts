import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { effectOfRunnable } from "../run/keeps-steps.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { NotedCall } from "../run/run-steps.ts";
import type { Run } from "../run/run.ts";
import type { Runnable } from "../run/runnable.ts";
import { agentStepInput, runAgentStep } from "./agent-step.ts";
import { createStepError } from "./retry-step.ts";
import {
  combineChanges,
  changeFromAnswer,
  changeFromFunction,
  mergeParallelChanges,
  noStateChange,
} from "./state-change.ts";
import type { StateChange } from "./state-change.ts";
import { copyState } from "./state-shape.ts";
import { attemptStep } from "./step-attempt.ts";
import type { StepRunnerOptions, StepScope, Work } from "./step-attempt.ts";
import type { StepTraceEntry } from "./step-trace.ts";
import type { CheckedStep, CheckedStepOf } from "./steps.ts";

/** Runs the steps of one run of a workflow, in sequence or in parallel, with retries, trace and events. */
export class StepRunner {
  readonly #options: StepRunnerOptions;

  constructor(options: StepRunnerOptions) {
    this.#options = options;
  }

  /** Runs steps one after the other. Each step sees the changes of the steps before it. */
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
    const { trace, observer, run } = this.#options;
    const { name } = step;
    const entry = trace.start(name, run.steps);
    await observer.onEvent({ type: "step_start", step: name });
    try {
      const { telemetry } = run.settings;
      const change = await (telemetry === undefined
        ? this.#execute(step, scope, entry)
        : observeStep(telemetry, step, { run, work: () => this.#execute(step, scope, entry) }));
      const end = entry.end(change === undefined ? "skipped" : "completed");
      if (step.kind === "agent") entry.output = change?.partial[name];
      await observer.onEvent({ type: "step_end", step: name, ...end });
      return change ?? noStateChange;
    } catch (error) {
      const end = entry.end(scope.signal.aborted ? "cancelled" : "error", error);
      // The event is not awaited: parallel steps must be aborted immediately, even if the reader is slow.
      if (!isPaused(run)) void observer.onEvent({ type: "step_end", step: name, ...end });
      throw error;
    }
  }

  /** Executes a workflow step and returns its state change; undefined if the step is skipped. */
  async #execute(step: CheckedStep, scope: StepScope, entry: StepTraceEntry): Promise<StateChange | undefined> {
    switch (step.kind) {
      case "agent":
        return await this.#runAgent(step, scope, entry);
      case "function":
        return await this.#callFunction(step, scope, entry);
      case "condition":
        if (!(await this.#checkCondition(step, scope, entry))) return undefined;
        return await timed(entry, this.runAll(step.steps, scope));
      default:
        return await timed(entry, this.#runParallel(step, scope));
    }
  }

  async #runAgent(step: CheckedStepOf<"agent">, scope: StepScope, entry: StepTraceEntry): Promise<StateChange> {
    const { observer, run } = this.#options;
    const { name, agent } = step;
    const wantsChunks = observer.wantsChunks(name);
    const call = callOfRunnable(agent);
    // After a takeover it is unknown which chunks were streamed.
    let hasStreamed = run.steps.isResumed;
    let hasText = wantsChunks && call === undefined && hasStreamed;
    const work: Work<AgentChange> = async (attempt, open) => {
      const forward = async (chunk: StreamChunk): Promise<void> => {
        hasStreamed = true;
        hasText ||= chunk.type === "text" && chunk.member === undefined;
        if (call !== undefined) open?.tag(chunk);
        await observer.onEvent({ type: "chunk", step: name, chunk });
      };
      const input = agentStepInput(step, scope.before);
      const output = await runAgentStep({ step, input, ...attempt, onChunk: wantsChunks ? forward : undefined });
      const change = changeFromAnswer(output, name);
      return open === undefined ? change : { ...change, ...factsOf(output), ...(hasText && { isShown: true }) };
    };
    const mayRepeat = () => observer.allowsRepeat || !hasStreamed;
    const change = await attemptStep(this.#options, entry, { scope, work, mayRepeat, keepsText: true, call });
    if (entry.step.isDurable) noteFacts(run, entry, change);
    return change;
  }

  async #callFunction(step: CheckedStepOf<"function">, scope: StepScope, entry: StepTraceEntry): Promise<StateChange> {
    const { name, effect = "once" } = step;
    const work: Work<StateChange> = async ({ context }) =>
      changeFromFunction(await step.run(copyState(scope.before.state), context));
    const call = effect === "pure" ? undefined : { tool: name, effect };
    const readAnswer = (result: unknown) => changeFromFunction(result ?? undefined);
    return await attemptStep(this.#options, entry, { scope, work, call, readAnswer });
  }

  async #checkCondition(
    { condition }: CheckedStepOf<"condition">,
    scope: StepScope,
    entry: StepTraceEntry,
  ): Promise<boolean> {
    const work: Work<boolean> = async () => Boolean(await condition(copyState(scope.before.state)));
    return await attemptStep(this.#options, entry, { scope, work });
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
}

/** Does the work of a step, and records it. */
async function observeStep<Change>(
  telemetry: Telemetry,
  { name, kind }: CheckedStep,
  { run, work }: { run: Run; work: () => Promise<Change> },
): Promise<Change> {
  const operation = telemetry.begin("step", { name, kind });
  try {
    const change = await operation.run(work);
    operation.end({});
    return change;
  } catch (error) {
    operation.end(isPaused(run) ? {} : { error });
    throw error;
  }
}

/** The state change of an agent step, and further facts of its answer for the run. */
type AgentChange = StateChange & Pick<RunOutput, "sources" | "stored"> & { readonly isShown?: boolean };

function factsOf({ sources, stored }: RunOutput): Pick<RunOutput, "sources" | "stored"> {
  return { ...(Array.isArray(sources) && { sources }), ...(stored === false && { stored }) };
}

/** Records the facts of a stored answer, beside its text, in the run. */
function noteFacts(run: Run, entry: StepTraceEntry, { sources, stored, isShown = false }: AgentChange): void {
  run.addSources(sources);
  if (stored === false) run.isStored = false;
  entry.isShown = isShown;
}

/** Returns true if a durable run stops before its end. Its steps have then not ended either. */
function isPaused({ steps }: Run): boolean {
  return steps.durable?.stopped !== undefined;
}

/**
 * Returns the call to note for a third party's runnable. Its run is one call, because it has no steps of its own.
 */
function callOfRunnable(runnable: Runnable): Pick<NotedCall, "tool" | "effect"> | undefined {
  const effect = effectOfRunnable(runnable);
  return effect && { tool: runnable.name, effect };
}

/** Stores the duration of a step's nested steps, in a durable run. */
function timed({ step }: StepTraceEntry, steps: Promise<StateChange>): Promise<StateChange> {
  if (!step.isDurable) return steps;
  return steps.then(async (change) => {
    await step.end();
    return change;
  });
}

function scopeAfter({ before, signal, onChange }: StepScope, change: StateChange): StepScope {
  return {
    before: { state: { ...before.state, ...change.partial }, message: change.text ?? before.message },
    signal,
    onChange: (further) => onChange(combineChanges(change, further)),
  };
}

/** Runs all steps at once. The first failure aborts the others and is thrown immediately, without waiting for them. */
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
