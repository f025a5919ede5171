import { RunError } from "@troupe/core";
import type { TokenUsage, TroupeError } from "@troupe/core";
import { toPublicError } from "@troupe/core/adapter";

/** The facts about a failed run in the body of its error: the run's id and, if it was billed, its usage. */
export type FailedRunFacts = { runId?: string; usage?: TokenUsage };

/**
 * Makes the body of an error, for a JSON answer or the last event of a stream: its code, message and fields and, of a
 * run, its id and usage.
 */
export function toErrorBody(error: TroupeError): object {
  return { ...toPublicError(error), ...factsOf(error) };
}

function factsOf(error: TroupeError): FailedRunFacts {
  if (!(error instanceof RunError)) return {};
  const { runId, usage } = error.output;
  // Without the vendor's own object.
  const { providerMetrics: _, ...counts } = usage;
  return { runId, ...(usage.totalTokens > 0 && { usage: counts }) };
}
