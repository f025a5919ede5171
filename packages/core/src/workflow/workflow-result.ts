import type { PublicError } from "../errors/public-error.ts";
import type { TokenUsage } from "../message/token-usage.ts";

/**
 * How a step ended. A condition that does not hold is `skipped`; a step that was at work when its run ended, or when one
 * beside it failed, is `cancelled`.
 */
export type StepStatus = "completed" | "skipped" | "error" | "cancelled";

/** What became of one step. */
export type StepResult = {
  name: string;
  status: StepStatus;
  durationMs: number;
  error?: PublicError;
};

/** What a run of a workflow came to; of a failed one, what there was until then. */
export type WorkflowResult<State = Readonly<Record<string, unknown>>> = {
  runId: string;
  status: "completed" | "error";
  state: State;
  /** The steps that were begun, in the order in which they are written; those within another step stand behind it. */
  steps: StepResult[];
  /** What all model calls of the run were billed. */
  usage: TokenUsage;
  durationMs: number;
};
