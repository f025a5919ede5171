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

/**
 * Steps that are repeated while a condition holds, which is checked before each round, or until it holds, which is
 * checked after each round. Each round sees the changes of the rounds before it.
 */
export type LoopStep<State> = {
  name: string;
  loop: readonly WorkflowStep<State>[];
  /** The maximum number of rounds. A loop that has not ended by then fails with `limit_exceeded`. */
  maxRounds: number;
} & (
  | { while: (state: WorkflowState<State>) => unknown; until?: undefined }
  | { until: (state: WorkflowState<State>) => unknown; while?: undefined }
);

/** Steps of one of several cases. A key without a case and without `otherwise` is `invalid_value`. */
export type ChooseStep<State> = {
  name: string;
  /** Returns the key of the case, or a promise of it. */
  choose: (state: WorkflowState<State>) => unknown;
  cases: Readonly<Record<string, readonly WorkflowStep<State>[]>>;
  /** The steps for all other keys. */
  otherwise?: readonly WorkflowStep<State>[] | undefined;
};

/** The treatment of an item of a `forEach` whose work fails. */
export type ItemErrorPolicy = "fail" | "skip" | "collect";

/**
 * Work that is done for each item of an array: steps, an agent or a function. Each item works on its own copy of the
 * state, which has the item under the key `as`. The array of results becomes the state's value under the step's name,
 * in the order of the items: the state after `steps`, the answer of `agent`, or the return value of `run`.
 */
export type ForEachStep<State> = {
  name: string;
  /** Returns the array of items, or a promise of it. */
  forEach: (state: WorkflowState<State>) => unknown;
  /** The maximum number of items that are worked on at the same time. @default 1 */
  concurrency?: number | undefined;
  /** The maximum number of items. A longer array is `invalid_value`. @default 1000 */
  maxItems?: number | undefined;
  /** The key of the state under which the work finds its item. @default "item" */
  as?: string | undefined;
  /**
   * The treatment of an item whose work fails. `"fail"` fails the step and cancels the other items, `"skip"` leaves the
   * item out of the results, `"collect"` puts `{ error }` there. @default "fail"
   */
  onItemError?: ItemErrorPolicy | undefined;
} & (
  | { steps: readonly WorkflowStep<State>[]; agent?: undefined; run?: undefined }
  | {
      agent: Runnable;
      /** Returns the agent's input. @default the item: a string as it is, other values as JSON */
      inputFrom?: ((state: WorkflowState<State>) => string) | undefined;
      steps?: undefined;
      run?: undefined;
    }
  | {
      /** Returns the item's result, or a promise of it: any JSON value. */
      run: (state: WorkflowState<State>, context: StepContext) => unknown;
      /** The effect of the function, as in a function step. @default "once" */
      effect?: ToolEffect | undefined;
      steps?: undefined;
      agent?: undefined;
    }
);

/** A workflow in the form that a step needs: anything with `asRunnable`, such as a `Workflow`. */
export type NestedWorkflow = { asRunnable(): Runnable };

/**
 * A step that runs another workflow. Its last state becomes the state's value under the step's name, or `write` returns
 * the changes of the state.
 */
export type NestedWorkflowStep<State> = {
  name: string;
  workflow: NestedWorkflow;
  /**
   * Returns the input of the workflow: a string, or an object with keys of its state. @default as for an agent step
   */
  inputFrom?: ((state: WorkflowState<State>) => string | Readonly<Record<string, unknown>>) | undefined;
  /** Returns the changes of the state, made from the workflow's last state. @default the state under the step's name */
  write?:
    | ((inner: Readonly<Record<string, unknown>>, state: WorkflowState<State>) => Partial<State> | void)
    | undefined;
};

/** One step of a workflow. Its name is unique in the workflow, and it receives a copy of the state. */
export type WorkflowStep<State> =
  | AgentStep<State>
  | FunctionStep<State>
  | ConditionStep<State>
  | ParallelStep<State>
  | LoopStep<State>
  | ChooseStep<State>
  | ForEachStep<State>
  | NestedWorkflowStep<State>;

/** The kind of a workflow step. */
export type StepKindName = "agent" | "function" | "condition" | "parallel" | "loop" | "choose" | "forEach" | "workflow";

/** A step of a workflow as listed by `Workflow.plannedSteps`: its name, its kind, and the runnable of an agent step. */
export type PlannedStep = {
  readonly name: string;
  readonly kind: StepKindName;
  /** The runnable of an agent step, of a workflow step, or of the items of a `forEach`. */
  readonly agent?: Runnable;
  /** The effect that a function step declares. */
  readonly effect?: ToolEffect;
  /** The name of the enclosing step; undefined at the top level. */
  readonly within?: string;
};
