import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { EventBus } from "../../base/events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { StructuredRunOutput } from "../run/run-output.ts";
import type { RunStream } from "../run/runnable.ts";
import { createObservedRunner, runUnobserved, toWorkflowResult } from "./run-workflow.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { JsonSchema } from "../../schema/object-schema.ts";
import type { StateValueKind } from "./state-shape.ts";
import type { WorkflowConfig } from "./workflow-config.ts";
import { requireOptionsObject, WorkflowParts } from "./workflow-parts.ts";
import type { ParsedWorkflowInput } from "./workflow-parts.ts";
import type { WorkflowResult } from "./workflow-result.ts";
import { parseWorkflowInput, WorkflowRunnable } from "./workflow-runnable.ts";
import { createWorkflowStream, StepEventQueue } from "./workflow-stream.ts";
import type { PlannedStep } from "./planned-step.ts";
import type { WorkflowStream } from "./workflow-stream.ts";

/** Options of one run of a workflow. */
export type WorkflowRunOpts<State> = RunOpts & {
  /**
   * The input of the run. An object is merged over the initial state; a string is the input of the first agent step.
   */
  input?: (State extends Record<string, never> ? Record<string, unknown> : Partial<State>) | string | undefined;
};

/** A workflow: steps (agents, functions, conditions, parallel steps) that run in order and share a state. */
export class Workflow<State extends object> {
  readonly #parts: WorkflowParts;

  constructor(config: WorkflowConfig<State>) {
    this.#parts = new WorkflowParts(config as unknown as WorkflowConfig<object>);
  }

  get name(): string {
    return this.#parts.name;
  }

  get description(): string | undefined {
    return this.#parts.description;
  }

  get eventBus(): EventBus<RunEvents> {
    return this.#parts.eventBus;
  }

  /** The keys of the state that an input may set, each with the kind of its value. */
  get inputKinds(): ReadonlyMap<string, StateValueKind> {
    return this.#parts.inputKinds;
  }

  /** The JSON Schema of an input object, if the workflow declares one. */
  get inputSchema(): JsonSchema | undefined {
    return this.#parts.inputSchema;
  }

  /** The state at the start of a run without input: a copy. */
  get initialState(): State {
    return this.#parts.initialState as State;
  }

  /** False if no step reads text, so that `input` must be an object. */
  get readsText(): boolean {
    return this.#parts.readsText;
  }

  /**
   * The name of the first step that waits for an answer or an event; undefined if no step does. Only a `RunService` runs
   * such a workflow.
   */
  get waitingStep(): string | undefined {
    return this.#parts.waitingStep;
  }

  /** All steps in the order of the configuration. Nested steps follow their enclosing step. */
  get plannedSteps(): readonly PlannedStep[] {
    return this.#parts.plannedSteps;
  }

  /** Runs the workflow for a message, as its `asRunnable()` does: the output has the last text and the last state. */
  run(input: MessageContent, opts?: RunOpts): Promise<StructuredRunOutput<State>>;
  /** Runs all steps of the workflow. Rejects with a `WorkflowError` that has the state up to the failure. */
  run(opts?: WorkflowRunOpts<State>): Promise<WorkflowResult<State>>;
  async run(
    given: WorkflowRunOpts<State> | MessageContent = {},
    more?: RunOpts,
  ): Promise<WorkflowResult<State> | StructuredRunOutput<State>> {
    if (isMessage(given)) return await this.asRunnable().run(given, more);
    refuseSecond(more);
    const { start, runOpts } = readOpts(given);
    this.#parts.checkText(start);
    return await toWorkflowResult<State>(this.#parts.plan(start, runOpts, runUnobserved));
  }

  /** Streams the answer of the workflow to a message, as its `asRunnable()` does. */
  stream(input: MessageContent, opts?: RunOpts): RunStream<StructuredRunOutput<State>>;
  /**
   * Returns a stream of the step events. The run starts when the stream is first read. Throws for wrong options
   * immediately.
   */
  stream(opts?: WorkflowRunOpts<State>): WorkflowStream<State>;
  stream(
    given: WorkflowRunOpts<State> | MessageContent = {},
    more?: RunOpts,
  ): WorkflowStream<State> | RunStream<StructuredRunOutput<State>> {
    if (isMessage(given)) return this.asRunnable().stream(given, more);
    refuseSecond(more);
    const { start, runOpts } = readOpts(given);
    this.#parts.checkText(start);
    const events = new StepEventQueue();
    const planned = this.#parts.plan(start, runOpts, createObservedRunner(events));
    return createWorkflowStream({
      execution: planned.execution,
      events,
      run: () => toWorkflowResult<State>(planned),
    });
  }

  /** Returns the workflow as a runnable: its input is a string or an object, and its answer is the last text. */
  asRunnable(): WorkflowRunnable<State> {
    return new WorkflowRunnable(this.#parts);
  }
}

function isMessage(given: unknown): given is MessageContent {
  return typeof given === "string" || Array.isArray(given);
}

function refuseSecond(more: RunOpts | undefined): void {
  if (more === undefined) return;
  throw new TroupeError(
    "invalid_request",
    "A workflow takes its options first: run({ input: { … }, sessionId }). Only a string or an array of parts goes before them.",
  );
}

function readOpts(opts: RunOpts & { input?: unknown }): { start: ParsedWorkflowInput; runOpts: RunOpts } {
  requireOptionsObject(opts);
  const { input, ...runOpts } = opts;
  if (input === undefined) return { start: {}, runOpts };
  if (typeof input === "string" || isRecord(input)) return { start: parseWorkflowInput(input), runOpts };
  throw new TroupeError(
    "invalid_request",
    "input must be an object, which is merged over the initial state, or a string for the first agent step.",
  );
}
