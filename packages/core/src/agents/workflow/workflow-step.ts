import type { InferSchema, ObjectSchema } from "../../schema/object-schema.ts";
import type { ToolEffect } from "../../base/message/tool-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Runnable } from "../run/runnable.ts";
import type { AskStep, SleepStep, WaitForStep, WaitLimit } from "./wait-step-types.ts";
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

/** The steps that a `StepFlow` holds. */
export interface FlowSteps {
  readonly steps: readonly unknown[];
}

/**
 * Nested steps: an array, or a function that adds steps to a flow one after the other. With a function, each step knows
 * the types of earlier answers.
 */
export type NestedSteps<State> = readonly WorkflowStep<State>[] | FlowFunction<State>["write"];

/**
 * Declared as a method, because TypeScript compares the parameters of methods in both directions: a flow function
 * written for any state is then accepted.
 */
type FlowFunction<State> = { write(flow: StepFlow<State>): FlowSteps };

/**
 * Steps that are repeated, either while a condition holds (checked before each round) or until it holds (checked after
 * each round). Each round sees the changes of earlier rounds.
 */
type LoopStep<State> = {
  name: string;
  loop: NestedSteps<State>;
  /** The maximum number of rounds. A loop that has not ended by then fails with `limit_exceeded`. */
  maxRounds: number;
} & (
  | { while: (state: WorkflowState<State>) => unknown; until?: undefined }
  | { until: (state: WorkflowState<State>) => unknown; while?: undefined }
);

/** Steps of one of several cases. A key that has no case is rejected as `invalid_value` unless `otherwise` is given. */
type ChooseStep<State> = {
  name: string;
  /** Returns the key of the case, or a promise of it. */
  choose: (state: WorkflowState<State>) => unknown;
  cases: Readonly<Record<string, NestedSteps<State>>>;
  /** The steps for a key that has no case. */
  otherwise?: NestedSteps<State> | undefined;
};

/** The treatment of an item of a `forEach` whose work fails. */
export type ItemErrorPolicy = "fail" | "skip" | "collect";

/**
 * Work that is done for each item of an array: steps, an agent or a function. Each item works on its own copy of the
 * state, which has the item under the key `as`. The array of results becomes the state's value under the step's name,
 * in the order of the items: the state after `steps`, the answer of `agent`, or the return value of `run`.
 */
type ForEachStep<State> = ForEachOptions<State> &
  (
    | { steps: NestedSteps<State>; agent?: undefined; run?: undefined }
    | {
        agent: Runnable;
        /** Returns the agent's input. @default the item: a string as it is, other values as JSON */
        inputFrom?: ((state: WorkflowState<State>) => string) | undefined;
        steps?: undefined;
        run?: undefined;
      }
    | {
        /** Called for each item of the array. Returns the result of the item, or a promise of it: any JSON value. */
        run: ItemFunction<State, unknown>;
        /** The effect of the function, as in a function step. @default "once" */
        effect?: ToolEffect | undefined;
        steps?: undefined;
        agent?: undefined;
      }
  );

/** A function that is called for each item. */
type ItemFunction<State, Result> = (state: WorkflowState<State>, context: StepContext) => Result;

/** The fields of a `forEach` step beside its work. */
type ForEachOptions<State> = {
  name: string;
  /** Returns the array of items, or a promise of it. */
  forEach: (state: WorkflowState<State>) => unknown;
  /** The maximum number of items that are worked on at the same time. @default 1 */
  concurrency?: number | undefined;
  /** The maximum number of items. A longer array is rejected as `invalid_value`. @default 1000 */
  maxItems?: number | undefined;
  /** The key of the state under which the step's agent, function or nested steps find their item. @default "item" */
  as?: string | undefined;
  /**
   * The treatment of an item whose work fails. `"fail"` fails the step and cancels the other items, `"skip"` leaves the
   * item out of the results, `"collect"` puts `{ error }` there. @default "fail"
   */
  onItemError?: ItemErrorPolicy | undefined;
};

/** A workflow in the form that a step needs: anything with `asRunnable`, such as a `Workflow`. */
type NestedWorkflow = { asRunnable(): Runnable };

/**
 * A step that runs another workflow. Its last state becomes the state's value under the step's name, or `write` returns
 * the changes of the state.
 */
type NestedWorkflowStep<State> = {
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
  | NestedWorkflowStep<State>
  | AskStep<State>
  | WaitForStep
  | SleepStep<State>;

/** The type of a state to which one key was added. */
type With<State, Key extends string, Value> = State & { [Name in Key]: Value };

/** The type of a step's value after `waitMs`, by its `onTimeout`. */
type OnTimeout<Limit extends WaitLimit> = Limit extends { onTimeout: "continue" }
  ? null
  : Limit extends { onTimeout: { value: infer Value } }
    ? Value
    : never;

/** The fields of a `forEach` step beside its work, with the types of its name, its item and its key of the state. */
type Items<State, Name extends string, Item, As extends string> = Omit<
  ForEachOptions<State>,
  "name" | "forEach" | "as"
> & {
  name: Name;
  forEach: (state: WorkflowState<State>) => readonly Item[] | Promise<readonly Item[]>;
  as?: As | undefined;
};

/** The value that `onItemError: "collect"` puts in the place of a failed item. */
type Collected<Policy> = Policy extends "collect" ? { error: { code: string; message: string } } : never;

/**
 * The steps of a workflow, added one after the other, so that each step knows the types of earlier answers. Pass a
 * function that receives the flow as `steps`: `steps: (flow) => flow.ask({ … }).step({ … })`. Each method adds a step
 * and returns a new flow.
 */
export interface StepFlow<State> extends FlowSteps {
  /** Adds a step of any kind. */
  step(step: WorkflowStep<State>): StepFlow<State>;

  /** Adds a step that asks a person. Later steps see the answer with the type of its schema. */
  ask<
    const Name extends string,
    Limit extends WaitLimit,
    const Schema extends ObjectSchema = { readonly type: "string" },
  >(
    step: {
      name: Name;
      ask: (state: WorkflowState<State>) => string | Promise<string>;
      schema?: Schema | undefined;
    } & Limit,
  ): StepFlow<
    With<
      State,
      Name,
      (Schema extends { readonly type: "string" } ? string : InferSchema<Schema, unknown>) | OnTimeout<Limit>
    >
  >;

  /**
   * Adds a step that works on each item of an array. The work sees the item with its type, and later steps see the
   * results with their type.
   */
  forEach<
    const Name extends string,
    Item,
    Result,
    const As extends string = "item",
    const Policy extends "fail" | "skip" | "collect" = "fail",
  >(
    step: Items<State, Name, Item, As> & {
      run: ItemFunction<With<State, As, Item>, Result>;
      onItemError?: Policy;
    },
  ): StepFlow<With<State, Name, (Awaited<Result> | Collected<Policy>)[]>>;
  forEach<const Name extends string, Item, const As extends string = "item">(
    step: Items<State, Name, Item, As> & { steps: NestedSteps<With<State, As, Item>> },
  ): StepFlow<With<State, Name, With<State, As, Item>[]>>;
  forEach<const Name extends string, Item, const As extends string = "item">(
    step: Items<State, Name, Item, As> & {
      agent: Runnable;
      inputFrom?: ((state: WorkflowState<With<State, As, Item>>) => string) | undefined;
    },
  ): StepFlow<With<State, Name, unknown[]>>;

  /** Adds a step with one case for each key that `choose` may return, or with `otherwise`. */
  choose<const Key extends string>(
    step:
      | {
          name: string;
          choose: (state: WorkflowState<State>) => Key | Promise<Key>;
          cases: { readonly [Case in Key]: NestedSteps<State> };
          otherwise?: undefined;
        }
      | {
          name: string;
          choose: (state: WorkflowState<State>) => Key | Promise<Key>;
          cases: { readonly [Case in Key]?: NestedSteps<State> };
          otherwise: NestedSteps<State>;
        },
  ): StepFlow<State>;
}
