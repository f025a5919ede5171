import type { CheckedStep } from "./steps.ts";

/** Returns true if a step may read the text that a run of the workflow is given: a text that none reads would be lost. */
export function mayReadText(steps: readonly CheckedStep[]): boolean {
  for (const step of steps) {
    if (readsText(step)) return true;
    // From here on steps read that agent's answer in its place.
    if (alwaysAnswers(step)) return false;
  }
  return false;
}

function readsText(step: CheckedStep): boolean {
  if (step.kind === "agent") return step.inputFrom === undefined;
  // A function with one parameter takes the state alone; one without any may be a wrapper that passes all on.
  if (step.kind === "function") return step.run.length !== 1;
  return step.kind === "condition" ? mayReadText(step.steps) : step.steps.some(readsText);
}

function alwaysAnswers(step: CheckedStep): boolean {
  if (step.kind === "agent") return true;
  return step.kind === "parallel" && step.steps.some(alwaysAnswers);
}
