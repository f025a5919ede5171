import type { ErrorCode, TroupeErrorOptions } from "../errors/troupe-error.ts";
import { RunError } from "../run/run-error.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { WorkflowResult } from "./workflow-result.ts";

/** A failed run of a workflow, with the state until then. `fields.step` names the step that failed. */
export class WorkflowError extends RunError {
  readonly result: WorkflowResult;

  constructor(
    code: ErrorCode,
    message: string,
    options: TroupeErrorOptions & { output: RunOutput; result: WorkflowResult },
  ) {
    super(code, message, options);
    this.result = options.result;
  }
}
