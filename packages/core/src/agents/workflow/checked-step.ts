import type { Validator } from "../../schema/create-validator.ts";
import type { JsonSchema } from "../../schema/object-schema.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { Runnable } from "../run/runnable.ts";
import type { StateRecord } from "./state-shape.ts";
import type { AgentStep, ConditionStep, FunctionStep, ItemErrorPolicy, StepContext } from "./workflow-step.ts";

/** An agent step after its configuration was checked. */
export type CheckedAgentStep = { readonly kind: "agent"; readonly agent: Runnable } & Readonly<AgentStep<StateRecord>>;

/** A function that receives a copy of the workflow's state. */
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

/** The time for which a step waits, and the outcome afterwards: see `WaitLimit`. */
export type WaitTiming = {
  readonly waitMs: number | undefined;
  readonly onTimeout: "fail" | "continue" | { readonly value: unknown };
};

/** The schema of a person's answer: its JSON Schema for clients, and its check. */
export type AnswerSchema = { readonly jsonSchema: JsonSchema; readonly validate: Validator };

/** The end of a loop: its condition, and `checked`, the time at which it is checked: before or after each round. */
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
    }
  | {
      readonly kind: "ask";
      readonly name: string;
      readonly ask: StateFunction;
      /** The schema of the person's answer. @default a string */
      readonly schema: AnswerSchema | undefined;
      readonly timing: WaitTiming;
    }
  | { readonly kind: "waitFor"; readonly name: string; readonly waitFor: string; readonly timing: WaitTiming }
  | {
      readonly kind: "sleep";
      readonly name: string;
      /** Returns the time at which the step ends, in epoch milliseconds. */
      readonly until: StateFunction<Promise<number>>;
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

/**
 * Returns the name of the first step that waits for an answer or an event, in these steps or in an inner workflow;
 * undefined if there is none.
 */
export function waitingStepIn(steps: readonly CheckedStep[]): string | undefined {
  for (const step of walkSteps(steps)) {
    if (step.kind === "ask" || step.kind === "waitFor") return step.name;
    const inner = readProperty(runnableOf(step), "waitingStep");
    if (typeof inner === "string") return `${step.name}/${inner}`;
  }
  return undefined;
}

/**
 * Returns true for a step whose nested steps are performed several times: the paths of the nested steps contain the
 * number of the round or item.
 */
export function isRepeated({ kind }: CheckedStep): boolean {
  return kind === "forEach" || kind === "loop";
}
