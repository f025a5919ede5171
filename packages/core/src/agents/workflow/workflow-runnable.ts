import type { EventBus } from "../../base/events/event-bus.ts";
import { checkContent } from "../run/check-content.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { keepsSteps } from "../run/keeps-steps.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { StructuredRunOutput } from "../run/run-output.ts";
import type { Runnable, RunStream } from "../run/runnable.ts";
import { runStreamingAnswer, runUnobserved } from "./run-workflow.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { PlannedStep } from "./planned-step.ts";
import type { WorkflowParts, ParsedWorkflowInput } from "./workflow-parts.ts";

/** The input of a workflow as a runnable: a message, or keys of the state. */
export type WorkflowInput<State> = MessageContent | Partial<State>;

/**
 * A workflow as a runnable, made by `Workflow.asRunnable`, for a team, another workflow or a tool. The text of
 * its output is the last agent's answer, and `structured` is the last state.
 */
export class WorkflowRunnable<State extends object> implements Runnable<StructuredRunOutput<State>> {
  readonly #parts: WorkflowParts;

  constructor(parts: WorkflowParts) {
    this.#parts = parts;
  }

  get kind(): "workflow" {
    return "workflow";
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

  /** The vendors of the workflow's agents. */
  get providerIds(): readonly string[] {
    return this.#parts.providerIds;
  }

  /**
   * The name of the first step that waits for an answer or an event; undefined if no step does. Only a `RunService`
   * runs such a workflow.
   */
  get waitingStep(): string | undefined {
    return this.#parts.waitingStep;
  }

  /** All steps in the order of the configuration. Nested steps follow their enclosing step. */
  get plannedSteps(): readonly PlannedStep[] {
    return this.#parts.plannedSteps;
  }

  // The casts of outputs are safe: the compiler checks the step functions, and `StateShape` checks the inputs.

  /** Runs all steps of the workflow and returns its output. */
  async run(input: WorkflowInput<State>, opts: RunOpts = {}): Promise<StructuredRunOutput<State>> {
    const { execution } = this.#parts.plan(parseWorkflowInput(input), opts, runUnobserved);
    return (await execution.run()) as StructuredRunOutput<State>;
  }

  /** Streams the last agent step of the workflow. Throws for wrong options immediately. */
  stream(input: WorkflowInput<State>, opts: RunOpts = {}): RunStream<StructuredRunOutput<State>> {
    const { execution } = this.#parts.plan(parseWorkflowInput(input), opts, runStreamingAnswer);
    return execution as RunStream<unknown> as RunStream<StructuredRunOutput<State>>;
  }
}

// The mark of workflows that perform steps is defined on the prototype, because serializers print own properties.
Object.defineProperty(WorkflowRunnable.prototype, keepsSteps, { value: true });

/**
 * Reads the input of a workflow: an object is merged over the initial state; a string or an array of parts is a
 * message. Other values are `invalid_request`.
 */
export function parseWorkflowInput(input: unknown): ParsedWorkflowInput {
  return isRecord(input) ? { input } : { message: checkContent(input) };
}
