import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { effectOfRunnable } from "../run/keeps-steps.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { NotedCall } from "../run/run-steps.ts";
import type { Run } from "../run/run.ts";
import type { Runnable } from "../run/runnable.ts";
import { agentStepInput, runAgentStep, workflowStepInput } from "./agent-step.ts";
import type { CheckedAgentStep, CheckedStep, CheckedStepOf } from "./checked-step.ts";
import { chosenSteps } from "./chosen-steps.ts";
import { checkCondition, runForEach, runLoop } from "./repeated-step.ts";
import type { ItemResult, PartRunner, StepPart } from "./repeated-step.ts";
import { createStepError } from "./retry-step.ts";
import { runConcurrently } from "./run-concurrently.ts";
import {
  combineChanges,
  changeFromAnswer,
  changeFromFunction,
  changeFromWrite,
  itemFromFunction,
  mergeParallelChanges,
  noStateChange,
} from "./state-change.ts";
import type { StateChange } from "./state-change.ts";
import { copyState } from "./state-shape.ts";
import type { StateRecord } from "./state-shape.ts";
import { attemptStep } from "./step-attempt.ts";
import type { StepRunnerOptions, Work } from "./step-attempt.ts";
import { placeIn } from "./step-place.ts";
import { scopeAfter } from "./step-scope.ts";
import type { PlacedScope } from "./step-scope.ts";
import type { StepTraceEntry } from "./step-trace.ts";
import { waitWork } from "./wait-step.ts";
import type { CheckedWaitStep } from "./wait-step.ts";

/** Runs the steps of one run of a workflow, in sequence or in parallel, with retries, trace and events. */
export class StepRunner implements PartRunner {
  readonly #options: StepRunnerOptions;

  constructor(options: StepRunnerOptions) {
    this.#options = options;
  }

  /** Runs steps one after the other. Each step sees the changes of the steps before it. */
  async runAll(steps: readonly CheckedStep[], scope: PlacedScope): Promise<StateChange> {
    let change = noStateChange;
    for (const step of steps) {
      change = combineChanges(change, await this.#runOne(step, scopeAfter(scope, change)));
      scope.onChange(change);
    }
    return change;
  }

  async #runOne(step: CheckedStep, scope: PlacedScope): Promise<StateChange> {
    const place = placeIn(scope, step.name);
    const work = (entry: StepTraceEntry) => this.#execute(step, scope, entry);
    return (await this.#observe({ place, name: step.name, kind: step.kind, scope, work })) ?? noStateChange;
  }

  async runPart<Result>(part: StepPart<Result>): Promise<Result> {
    return await this.#observe(part);
  }

  /** Does the work of a step, a round or an item. Adds an entry to the trace, emits events and records telemetry. */
  async #observe<Result>(unit: ObservedUnit<Result>): Promise<Result> {
    const { scope, place, work } = unit;
    scope.signal.throwIfAborted();
    const { trace, observer, run } = this.#options;
    const entry = trace.start(place);
    const step = entry.name;
    await observer.onEvent({ type: "step_start", step });
    try {
      const { telemetry } = run.settings;
      const result = await (telemetry === undefined
        ? work(entry)
        : observeStep(telemetry, unit, { run, work: () => work(entry) }));
      const end = entry.end(result === undefined ? "skipped" : "completed");
      await observer.onEvent({ type: "step_end", step, ...end });
      return result;
    } catch (error) {
      const end = entry.end(scope.signal.aborted ? "cancelled" : "error", error);
      // The event is not awaited: parallel steps must be aborted immediately, even if the reader is slow.
      if (!isPaused(run)) void observer.onEvent({ type: "step_end", step, ...end });
      throw error;
    }
  }

  /** Executes a workflow step and returns its state change; undefined if the step is skipped. */
  async #execute(step: CheckedStep, scope: PlacedScope, entry: StepTraceEntry): Promise<StateChange | undefined> {
    switch (step.kind) {
      case "agent":
      case "workflow":
        return await this.#runAgent(step, scope, entry);
      case "function":
        return await this.#callFunction(step, scope, entry);
      case "ask":
      case "waitFor":
      case "sleep":
        return await this.#wait(step, scope, entry);
      default:
        return await this.#executeSteps(step, scope, entry);
    }
  }

  /** Executes a step with nested steps, on behalf of `#execute`. */
  async #executeSteps(step: GroupStep, scope: PlacedScope, entry: StepTraceEntry): Promise<StateChange | undefined> {
    switch (step.kind) {
      case "condition":
        if (!(await checkCondition(this, step.condition, { entry, scope }))) return undefined;
        return await this.runSteps(entry, step.steps, scope);
      case "choose":
        return await this.runSteps(entry, await chosenSteps(this, step, { entry, scope }), scope);
      case "loop":
        return await timed(entry, runLoop(this, step, { entry, scope }));
      case "forEach":
        return await timed(entry, runForEach(this, step, { entry, scope }));
      default:
        return await timed(entry, this.#runParallel(step, scope, entry));
    }
  }

  async runSteps(entry: StepTraceEntry, steps: readonly CheckedStep[], scope: PlacedScope): Promise<StateChange> {
    return await timed(entry, this.runAll(steps, scope));
  }

  async attempt<Result>(entry: StepTraceEntry, scope: PlacedScope, work: Work<Result>): Promise<Result> {
    return await attemptStep(this.#options, entry, { scope, work });
  }

  hasStopped({ signal }: PlacedScope): boolean {
    return signal.aborted || isPaused(this.#options.run);
  }

  async #runAgent(
    step: CheckedAgentStep | CheckedStepOf<"workflow">,
    scope: PlacedScope,
    entry: StepTraceEntry,
  ): Promise<StateChange> {
    const { observer, run } = this.#options;
    const { agent } = step;
    const wantsChunks = observer.wantsChunks(entry.name);
    const call = callOfRunnable(agent);
    // After a takeover it is unknown which chunks were streamed, so the step counts as streamed.
    let hasStreamed = run.steps.isResumed;
    let hasText = wantsChunks && call === undefined && hasStreamed;
    const work: Work<AgentChange> = async (attempt, open) => {
      const forward = async (chunk: StreamChunk): Promise<void> => {
        hasStreamed = true;
        hasText ||= chunk.type === "text" && chunk.member === undefined;
        if (call !== undefined) open?.tag(chunk);
        await observer.onEvent({ type: "chunk", step: entry.name, chunk });
      };
      const { before } = scope;
      const input = step.kind === "agent" ? agentStepInput(step, before) : workflowStepInput(step, before);
      const onChunk = wantsChunks ? forward : undefined;
      const output = await runAgentStep({ agent, session: entry.name, input, ...attempt, onChunk });
      const change = changeOf(step, output, before.state);
      return open === undefined ? change : { ...change, ...factsOf(output), ...(hasText && { isShown: true }) };
    };
    const mayRepeat = () => observer.allowsRepeat || !hasStreamed;
    const change = await attemptStep(this.#options, entry, { scope, work, mayRepeat, keepsText: true, call });
    if (entry.step.isDurable) noteFacts(run, entry, change);
    entry.output = "answer" in change ? change.answer : change.partial[step.name];
    return change;
  }

  async #callFunction(
    step: CheckedStepOf<"function">,
    scope: PlacedScope,
    entry: StepTraceEntry,
  ): Promise<StateChange> {
    const { name, effect = "once" } = step;
    const work: Work<StateChange> = async ({ context }) =>
      changeFromFunction(await step.run(copyState(scope.before.state), context));
    const call = effect === "pure" ? undefined : { tool: name, effect };
    const readAnswer = (result: unknown) => changeFromFunction(result ?? undefined);
    return await attemptStep(this.#options, entry, { scope, work, call, readAnswer });
  }

  async runItem(step: CheckedStepOf<"forEach">, entry: StepTraceEntry, scope: PlacedScope): Promise<ItemResult> {
    const { work: item, name } = step;
    if (item.kind === "agent") {
      const { partial, text } = await this.#runAgent(item, scope, entry);
      return { value: partial[name], text };
    }
    if (item.kind === "steps") throw new TroupeError("internal", "An item with steps has no work of its own.");
    const { run, effect = "once" } = item;
    const work: Work<{ item: unknown }> = async ({ context }) => ({
      item: itemFromFunction(await run(copyState(scope.before.state), context)),
    });
    const call = effect === "pure" ? undefined : { tool: name, effect };
    const readAnswer = (result: unknown) => ({ item: itemFromFunction(result) });
    return { value: (await attemptStep(this.#options, entry, { scope, work, call, readAnswer })).item };
  }

  async #wait(step: CheckedWaitStep, scope: PlacedScope, entry: StepTraceEntry): Promise<StateChange> {
    // A wait that has ended is not repeated: its answer or its timeout is final.
    const wait = { scope, work: waitWork(step, scope), mayRepeat: () => false };
    const change = await attemptStep(this.#options, entry, wait);
    entry.output = change.partial[step.name];
    return change;
  }

  async #runParallel(
    { steps }: CheckedStepOf<"parallel">,
    scope: PlacedScope,
    entry: StepTraceEntry,
  ): Promise<StateChange> {
    const onChange = () => undefined;
    const reasonOf = (step: CheckedStep) =>
      new TroupeError("cancelled", `The parallel step ${JSON.stringify(step.name)} failed.`);
    const changes = await runConcurrently(steps, { signal: scope.signal, reasonOf }, (step, _index, signal) =>
      this.#runOne(step, { ...scope, signal, onChange }),
    );
    const names = steps.map((step) => step.name);
    try {
      return mergeParallelChanges(changes, names);
    } catch (error) {
      throw createStepError(entry.name, error);
    }
  }
}

type GroupStep = Extract<CheckedStep, { readonly steps: readonly CheckedStep[] }>;

/** A step, a round or an item, for `StepRunner.#observe`. A step whose work returns `undefined` was skipped. */
type ObservedUnit<Result> = Omit<StepPart<Result>, "kind"> & { readonly kind: string };

/** Does the work of a step, and records the step in telemetry. */
async function observeStep<Change>(
  telemetry: Telemetry,
  { name, kind }: { readonly name: string; readonly kind: string },
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

/**
 * The state change of an agent step, with the answer if the change does not contain it, and further facts about the
 * answer for the run.
 */
type AgentChange = StateChange &
  Pick<RunOutput, "sources" | "stored"> & { readonly answer?: unknown; readonly isShown?: boolean };

function changeOf(
  step: CheckedAgentStep | CheckedStepOf<"workflow">,
  output: RunOutput,
  state: StateRecord,
): AgentChange {
  const change = changeFromAnswer(output, step.name);
  if (step.kind === "agent" || step.write === undefined) return change;
  const answer = change.partial[step.name];
  return { ...changeFromWrite(step.write(answer as StateRecord, copyState(state))), text: output.text, answer };
}

function factsOf({ sources, stored }: RunOutput): Pick<RunOutput, "sources" | "stored"> {
  return { ...(Array.isArray(sources) && { sources }), ...(stored === false && { stored }) };
}

/** Records in the run the facts of a stored answer other than its text, such as its sources. */
function noteFacts(run: Run, entry: StepTraceEntry, { sources, stored, isShown = false }: AgentChange): void {
  run.addSources(sources);
  if (stored === false) run.isStored = false;
  entry.isShown = isShown;
}

/** Returns true if a durable run stops before its end. In that case its steps have not ended either. */
function isPaused({ steps }: Run): boolean {
  return steps.durable?.stopped !== undefined;
}

/**
 * Returns the call that a durable run notes for a third party's runnable; undefined for other runnables. The whole run
 * of such a runnable counts as one call, because its steps are unknown.
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
