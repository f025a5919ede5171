import type { CheckedStep, CheckedStepOf } from "./checked-step.ts";

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
  switch (step.kind) {
    case "agent":
    case "workflow":
      return step.inputFrom === undefined;
    case "function":
      // A function with one declared parameter only takes the state. A function without declared parameters may pass
      // all its arguments on.
      return step.run.length !== 1;
    case "condition":
    case "loop":
      return mayReadText(step.steps);
    case "choose":
      return branchesOf(step).some(mayReadText);
    case "parallel":
      return step.steps.some(readsText);
    default:
      // Steps within a `forEach` read their item as the text. The other kinds of step read no text.
      return false;
  }
}

function alwaysAnswers(step: CheckedStep): boolean {
  switch (step.kind) {
    case "agent":
    case "workflow":
      return true;
    case "parallel":
      return step.steps.some(alwaysAnswers);
    case "loop":
      return step.end.checked === "after" && step.steps.some(alwaysAnswers);
    case "choose":
      return branchesOf(step).every((steps) => steps.some(alwaysAnswers));
    default:
      return false;
  }
}

function branchesOf({ cases, otherwise }: CheckedStepOf<"choose">): (readonly CheckedStep[])[] {
  return [...cases.values(), ...(otherwise === undefined ? [] : [otherwise])];
}
