import { TroupeError } from "../errors/troupe-error.ts";
import type { ErrorCode, TroupeErrorOptions } from "../errors/troupe-error.ts";
import type { RunOutput } from "./run-output.ts";

/** A failed run, with its text and usage until then. */
export class RunError extends TroupeError {
  readonly output: RunOutput;

  constructor(code: ErrorCode, message: string, options: TroupeErrorOptions & { output: RunOutput }) {
    super(code, message, options);
    this.output = options.output;
  }
}
