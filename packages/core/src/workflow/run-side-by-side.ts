import { TroupeError } from "../errors/troupe-error.ts";
import type { Step } from "./step.ts";

/**
 * Runs all steps at once. The first failure aborts the signal of the others and is thrown at once: nobody waits for a step
 * that does not listen.
 */
export async function runSideBySide<Result>(
  steps: readonly Step[],
  outer: AbortSignal,
  run: (step: Step, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const abort = new AbortController();
  const signal = AbortSignal.any([outer, abort.signal]);
  const runOne = async (step: Step): Promise<Result> => {
    try {
      return await run(step, signal);
    } catch (error) {
      abort.abort(new TroupeError("cancelled", `The step ${JSON.stringify(step.name)}, beside this one, failed.`));
      throw error;
    }
  };
  return await Promise.all(steps.map(runOne));
}
