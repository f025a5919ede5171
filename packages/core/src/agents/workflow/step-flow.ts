import type { FlowSteps, StepFlow } from "./workflow-step.ts";

/** Makes a flow without steps. The flow's types check the steps; at run time its methods only add the steps. */
export function createStepFlow<State>(): StepFlow<State> {
  return new StepCollector([]) as FlowSteps as StepFlow<State>;
}

class StepCollector implements FlowSteps {
  readonly steps: readonly unknown[];

  constructor(steps: readonly unknown[]) {
    this.steps = steps;
  }

  step(step: unknown): StepCollector {
    return new StepCollector([...this.steps, step]);
  }

  ask(step: unknown): StepCollector {
    return this.step(step);
  }

  forEach(step: unknown): StepCollector {
    return this.step(step);
  }

  choose(step: unknown): StepCollector {
    return this.step(step);
  }
}
