import type { ToolEffect } from "../../base/message/tool-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Runnable } from "../run/runnable.ts";
import type { WorkflowState } from "./workflow-result.ts";

/**
 * The context that a function step is called with: the run's context, with the last agent's answer as `text`. Its
 * signal also aborts if a parallel step fails.
 */
export type StepContext = RunContext & {
  /** The last agent step's answer or, before the first answer, the input of the workflow. */
  readonly text: string;
};

/**
 * A step that runs an agent or another runnable. Its answer (structured output, or else text) becomes the state's value
 * under the step's name, and replaces an initial value there.
 */
export type AgentStep<State> = {
  name: string;
  agent: Runnable;
  /**
   * Returns the agent's input, made from the state. @default the last agent answer; before the first answer the run's
   * text input; without text input the state as JSON
   */
  inputFrom?: ((state: WorkflowState<State>) => string) | undefined;
};

/** A step that calls a function. Its return value is merged into the state, key by key. */
export type FunctionStep<State> = {
  name: string;
  run: (state: WorkflowState<State>, context: StepContext) => Partial<State> | void | Promise<Partial<State> | void>;
  /**
   * The effect of calling the function, for a durable run whose process ended during the call. A `pure` or `idempotent`
   * function is called again with the same `context.idempotencyKey`; for `once` a person is asked first. @default
   * "once"
   */
  effect?: ToolEffect | undefined;
};

/** Steps that run one after the other if the condition holds. */
export type ConditionStep<State> = {
  name: string;
  /** Returns any value, or a promise of it. A truthy value lets the steps run. */
  condition: (state: WorkflowState<State>) => unknown;
  steps: readonly WorkflowStep<State>[];
};

/**
 * Steps that run in parallel. Each sees the state as it was before all of them. Their changes are merged in order, and
 * two different values for one key are an error. The first failure cancels the others.
 */
type ParallelStep<State> = {
  name: string;
  parallel: readonly WorkflowStep<State>[];
};

/** One step of a workflow. Its name is unique in the workflow, and it receives a copy of the state. */
export type WorkflowStep<State> = AgentStep<State> | FunctionStep<State> | ConditionStep<State> | ParallelStep<State>;

/** A step of a workflow as listed by `Workflow.plannedSteps`: its name, its kind, and the runnable of an agent step. */
export type PlannedStep = {
  readonly name: string;
  readonly kind: "agent" | "function" | "condition" | "parallel";
  readonly agent?: Runnable;
  /** The effect that a function step declares. */
  readonly effect?: ToolEffect;
  /** The name of the enclosing step; undefined at the top level. */
  readonly within?: string;
};
