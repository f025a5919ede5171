import type { Runnable } from "../run/runnable.ts";
import type { StateRecord } from "./state-form.ts";
import type { AgentStep, ConditionStep, FunctionStep } from "./workflow-step.ts";

/** A step once it has been read: it says of which form it is. */
export type Step =
  | ({ readonly kind: "agent"; readonly agent: Runnable } & Readonly<AgentStep<StateRecord>>)
  | ({ readonly kind: "function" } & Readonly<FunctionStep<StateRecord>>)
  | {
      readonly kind: "condition";
      readonly name: string;
      readonly condition: ConditionStep<StateRecord>["condition"];
      readonly steps: readonly Step[];
    }
  | { readonly kind: "parallel"; readonly name: string; readonly steps: readonly Step[] };

/** The steps and those within them, in the order in which they are written. */
export function* everyStep(steps: readonly Step[]): Generator<Step> {
  for (const step of steps) {
    yield step;
    if ("steps" in step) yield* everyStep(step.steps);
  }
}
