import { expect } from "vitest";
import { WorkflowError } from "../workflow-error.ts";

/** The error that a run fails with. */
export async function failureOf(run: Promise<unknown>): Promise<WorkflowError> {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(WorkflowError);
  return error as WorkflowError;
}

/** A function for a step that fails so many times before it says how often it was called. */
export function failing(times: number, error: unknown = new Error("secret")) {
  let calls = 0;
  const run = (): { n: number } => {
    calls++;
    if (calls <= times) throw error;
    return { n: calls };
  };
  return { run, calls: () => calls };
}
