import type { Runnable } from "../run/runnable.ts";
import type { StateRecord } from "./state-shape.ts";
import type { AgentStep, ConditionStep, FunctionStep, ItemErrorPolicy, StepContext } from "./workflow-step.ts";

/** An agent step after its configuration was checked. */
export type CheckedAgentStep = { readonly kind: "agent"; readonly agent: Runnable } & Readonly<AgentStep<StateRecord>>;

/** A function of the state, called with a copy of it. */
export type StateFunction<Value = unknown> = (state: StateRecord) => Value;

/** The work for each item of a `forEach`: steps, an agent, or a function. */
export type ItemWork =
  | { readonly kind: "steps" }
  | CheckedAgentStep
  | {
      readonly kind: "function";
      readonly run: (state: StateRecord, context: StepContext) => unknown;
      readonly effect?: FunctionStep<StateRecord>["effect"];
    };

/** The end of a loop: the condition, and when it is checked. */
export type LoopEnd = { readonly checked: "before" | "after"; readonly condition: StateFunction };

/** A step of a workflow after its configuration was checked, tagged with its kind. `steps` are all nested steps. */
export type CheckedStep =
  | CheckedAgentStep
  | ({ readonly kind: "function" } & Readonly<FunctionStep<StateRecord>>)
  | {
      readonly kind: "condition";
      readonly name: string;
      readonly condition: ConditionStep<StateRecord>["condition"];
      readonly steps: readonly CheckedStep[];
    }
  | { readonly kind: "parallel"; readonly name: string; readonly steps: readonly CheckedStep[] }
  | {
      readonly kind: "loop";
      readonly name: string;
      readonly end: LoopEnd;
      readonly maxRounds: number;
      readonly steps: readonly CheckedStep[];
    }
  | {
      readonly kind: "choose";
      readonly name: string;
      readonly choose: StateFunction;
      readonly cases: ReadonlyMap<string, readonly CheckedStep[]>;
      readonly otherwise: readonly CheckedStep[] | undefined;
      readonly steps: readonly CheckedStep[];
    }
  | {
      readonly kind: "forEach";
      readonly name: string;
      readonly forEach: StateFunction;
      readonly work: ItemWork;
      readonly concurrency: number;
      readonly maxItems: number;
      readonly as: string;
      readonly onItemError: ItemErrorPolicy;
      readonly steps: readonly CheckedStep[];
    }
  | {
      readonly kind: "workflow";
      readonly name: string;
      /** The workflow as a runnable. */
      readonly agent: Runnable;
      readonly inputFrom: StateFunction | undefined;
      readonly write: ((inner: StateRecord, state: StateRecord) => unknown) | undefined;
    };

/** The checked step of one kind, such as `CheckedStepOf<"agent">`. */
export type CheckedStepOf<Kind extends CheckedStep["kind"]> = Extract<CheckedStep, { kind: Kind }>;

/** Yields the steps and their nested steps, in the order of the configuration. */
export function* walkSteps(steps: readonly CheckedStep[]): Generator<CheckedStep> {
  for (const step of steps) {
    yield step;
    if ("steps" in step) yield* walkSteps(step.steps);
  }
}

/** Returns the runnable of an agent step, a workflow step, or the items of a `forEach`; undefined for other steps. */
export function runnableOf(step: CheckedStep): Runnable | undefined {
  if (step.kind === "agent" || step.kind === "workflow") return step.agent;
  return step.kind === "forEach" && step.work.kind === "agent" ? step.work.agent : undefined;
}

/** Returns true for a step whose nested steps are performed several times: each time has a number in their paths. */
export function isRepeated({ kind }: CheckedStep): boolean {
  return kind === "forEach" || kind === "loop";
}
