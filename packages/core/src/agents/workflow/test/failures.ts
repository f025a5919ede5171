import { expect } from "vitest";
import { WorkflowError } from "../workflow-result.ts";

/** Returns the error of a failing run. */
export async function failureOf(run: Promise<unknown>): Promise<WorkflowError> {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WorkflowError);
  return error as WorkflowError;
}

/** A step function that fails the given number of times, then returns the number of its calls. */
export function failing(times: number, error: unknown = new Error("secret")) {
  let calls = 0;
  const run = (): { n: number } => {
    calls++;
    if (calls <= times) throw error;
    return { n: calls };
  };
  return { run, calls: () => calls };
}
