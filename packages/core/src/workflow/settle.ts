import { RunError } from "../run/run-error.ts";
import type { RunOutput } from "../run/run-output.ts";
import { WorkflowError } from "./workflow-error.ts";
import type { OpenedRun } from "./workflow-parts.ts";
import type { WorkflowResult } from "./workflow-result.ts";

/** Runs to the end, and says what it came to the way a workflow does. */
export async function settle<State>({ execution, performance }: OpenedRun): Promise<WorkflowResult<State>> {
  const toResult = <Value>({ status, structured, usage, durationMs }: RunOutput): WorkflowResult<Value> => ({
    runId: execution.runId,
    status: status ?? "error",
    state: (structured ?? performance.start) as Value,
    steps: performance.trace.toResults(performance.steps),
    usage,
    durationMs: durationMs ?? 0,
  });
  try {
    return toResult<State>(await execution.run());
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const { code, message, fields, cause, output } = error;
    throw new WorkflowError(code, message, { fields, cause, output, result: toResult(output) });
  }
}
