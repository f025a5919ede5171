import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { CheckedStep, CheckedStepOf } from "./checked-step.ts";
import type { PartRunner } from "./repeated-step.ts";
import { createStepError } from "./retry-step.ts";
import { copyState } from "./state-shape.ts";
import type { PlacedScope } from "./step-scope.ts";
import type { StepTraceEntry } from "./step-trace.ts";

/** The maximum number of characters of a case's key that an error message repeats. */
const shownLength = 64;

/** Returns the steps of the case that a `choose` step selects. A durable run stores the key of the case. */
export async function chosenSteps(
  runner: PartRunner,
  { choose, cases, otherwise }: CheckedStepOf<"choose">,
  { entry, scope }: { entry: StepTraceEntry; scope: PlacedScope },
): Promise<readonly CheckedStep[]> {
  const key = await runner.attempt(entry, scope, async () => readKey(await choose(copyState(scope.before.state))));
  const chosen = cases.get(key) ?? otherwise;
  if (chosen !== undefined) return chosen;
  const shown = JSON.stringify(key.slice(0, shownLength));
  const sentence = `no case for the key ${shown}, and no otherwise. Its cases are ${[...cases.keys()].join(", ")}.`;
  throw createStepError(entry.name, new TroupeError("invalid_value", sentence));
}

function readKey(key: unknown): string {
  if (typeof key === "string") return key;
  if (typeof key === "number" || typeof key === "boolean") return String(key);
  throw new TroupeError("invalid_value", "choose must return a string, a number, true or false: the key of a case.");
}
