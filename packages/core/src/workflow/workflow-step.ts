import type { RunContext } from "../run/run-context.ts";
import type { Runnable } from "../run/runnable.ts";

/** What a function step knows of the run it is part of. */
export type StepContext = RunContext & {
  /** The last text: what the last agent step answered or, before one has, the input of the workflow. */
  readonly text: string;
};

/**
 * A step that asks an agent, or anything else that runs. When `initialState` has a key of the step's name, the answer
 * goes there: the text if a text stands there, else the structured output or, without one, the text.
 */
export type AgentStep<State> = {
  name: string;
  agent: Runnable;
  /** Makes the input from the state. @default the last text or, before there is one, the input of the workflow */
  inputFrom?: (state: State) => string;
};

/** A step that calls a function. What it returns is merged into the state, key by key; nothing changes nothing. */
export type FunctionStep<State> = {
  name: string;
  run: (state: State, context: StepContext) => Partial<State> | void | Promise<Partial<State> | void>;
};

/** Steps that are taken, one after the other, when the condition holds. */
export type ConditionStep<State> = {
  name: string;
  condition: (state: State) => boolean;
  steps: readonly WorkflowStep<State>[];
};

/**
 * Steps that are taken side by side. Each finds the state as it was before; what they change is merged in their order, and
 * two different values for one key are an error. The first failure ends them all.
 */
export type ParallelStep<State> = {
  name: string;
  parallel: readonly WorkflowStep<State>[];
};

/** One step of a workflow. Its name is its own within the whole workflow, and the state it is given is a copy. */
export type WorkflowStep<State> = AgentStep<State> | FunctionStep<State> | ConditionStep<State> | ParallelStep<State>;
