import type { ToolEffect } from "../../base/message/tool-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Runnable } from "../run/runnable.ts";
import type { WorkflowState } from "./workflow-result.ts";

/**
 * The context that a function step is called with: the run's context, with the last agent's answer as `text`, and a
 * signal that also aborts when a parallel step fails.
 */
export type StepContext = RunContext & {
  /** The last agent step's answer or, before there is one, the input of the workflow. */
  readonly text: string;
};

/**
 * A step that runs an agent or another runnable. Its answer (structured output if it has one, else its text) becomes the
 * value of the state's key with the step's name, and replaces an initial value there.
 */
export type AgentStep<State> = {
  name: string;
  agent: Runnable;
  /**
   * Returns the input, made from the state. @default the last agent answer or, before there is one, the text input of the
   * run, else the state as JSON
   */
  inputFrom?: ((state: WorkflowState<State>) => string) | undefined;
};

/** A step that calls a function. Its return value is merged into the state, key by key. */
export type FunctionStep<State> = {
  name: string;
  run: (state: WorkflowState<State>, context: StepContext) => Partial<State> | void | Promise<Partial<State> | void>;
  /**
   * The effect of calling the function, for a durable run whose process ended during the call: it calls a function that is
   * `pure` or `idempotent` again, with the same `context.idempotencyKey`, and asks first where each call has an effect of its
   * own (`once`). @default "once"
   */
  effect?: ToolEffect | undefined;
};

/** Steps that run, one after the other, when the condition holds. */
export type ConditionStep<State> = {
  name: string;
  /** Any value, or a promise of one: a truthy value lets the steps run. */
  condition: (state: WorkflowState<State>) => unknown;
  steps: readonly WorkflowStep<State>[];
};

/**
 * Steps that run in parallel. Each sees the state from before; their changes are merged in their order, and two different
 * values for one key are an error. The first failure cancels the others.
 */
type ParallelStep<State> = {
  name: string;
  parallel: readonly WorkflowStep<State>[];
};

/** One step of a workflow. Its name is unique in the workflow, and it receives a copy of the state. */
export type WorkflowStep<State> = AgentStep<State> | FunctionStep<State> | ConditionStep<State> | ParallelStep<State>;

/** A step of a workflow as `Workflow.plannedSteps` lists it: its name, its kind, and the runnable of an agent step. */
export type PlannedStep = {
  readonly name: string;
  readonly kind: "agent" | "function" | "condition" | "parallel";
  readonly agent?: Runnable;
  /** The effect that a function step declares. */
  readonly effect?: ToolEffect;
  /** The name of the step that it is nested in. */
  readonly within?: string;
};
