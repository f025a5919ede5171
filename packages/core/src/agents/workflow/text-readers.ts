import type { CheckedStep } from "./steps.ts";

/** Returns true if a step may read the text input of a workflow's run. A text that no step reads would be lost. */
export function mayReadText(steps: readonly CheckedStep[]): boolean {
  for (const step of steps) {
    if (readsText(step)) return true;
    // After an agent's answer, later steps read that answer instead of the workflow's text input.
    if (alwaysAnswers(step)) return false;
  }
  return false;
}

function readsText(step: CheckedStep): boolean {
  if (step.kind === "agent") return step.inputFrom === undefined;
  // A function with one parameter only takes the state. A function without declared parameters may be a wrapper that
  // passes all arguments on.
  if (step.kind === "function") return step.run.length !== 1;
  return step.kind === "condition" ? mayReadText(step.steps) : step.steps.some(readsText);
}

function alwaysAnswers(step: CheckedStep): boolean {
  if (step.kind === "agent") return true;
  return step.kind === "parallel" && step.steps.some(alwaysAnswers);
}
