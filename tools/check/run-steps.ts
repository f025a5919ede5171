import type { Step } from "./steps.ts";

/** How a step ended. A skipped one needed a step that did not pass. */
export interface StepResult {
  readonly script: string;
  readonly outcome: "passed" | "failed" | "skipped";
  readonly seconds: number;
  readonly output: string;
}

export interface StepRunner {
  readonly run: (step: Step) => Promise<StepResult>;
  /** Hears of every step as soon as it has ended. */
  readonly onEnd: (result: StepResult) => void;
  /** How many steps run at once. */
  readonly lanes: number;
}

/** Runs all steps, each as soon as it can; one that fails stops only those that need it. */
export async function runSteps(steps: readonly Step[], { run, onEnd, lanes }: StepRunner): Promise<StepResult[]> {
  const results: StepResult[] = [];
  const waiting = [...steps];
  const running = new Map<Step, Promise<void>>();
  const end = (result: StepResult): void => {
    results.push(result);
    onEnd(result);
  };
  const start = (step: Step): void => {
    waiting.splice(waiting.indexOf(step), 1);
    const { script } = step;
    if (needsFailed(step, results)) return end({ script, outcome: "skipped", seconds: 0, output: "" });
    running.set(
      step,
      run(step)
        .then(end)
        .finally(() => running.delete(step)),
    );
  };

  while (waiting.length + running.size > 0) {
    const next =
      running.size < lanes
        ? waiting.find((step) => mayStart(step, [...running.keys()], [...waiting, ...running.keys()]))
        : undefined;
    if (next === undefined) await Promise.race(running.values());
    else start(next);
  }
  return results;
}

function mayStart(
  { after = [], isAlone = false }: Step,
  running: readonly Step[],
  unfinished: readonly Step[],
): boolean {
  if (isAlone ? running.length > 0 : running.some((other) => other.isAlone)) return false;
  return !unfinished.some(({ script }) => after.includes(script));
}

function needsFailed({ after = [] }: Step, results: readonly StepResult[]): boolean {
  return results.some(({ script, outcome }) => after.includes(script) && outcome !== "passed");
}
