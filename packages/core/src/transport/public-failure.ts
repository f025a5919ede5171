import { toPublicError } from "../errors/public-error.ts";
import type { ErrorCode, TroupeError } from "../errors/troupe-error.ts";
import type { TokenUsage } from "../message/token-usage.ts";
import { RunError } from "../run/run-output.ts";

/** The facts about a failed run that a client is told with its error: the run's id and, if it was billed, its usage. */
export type FailedRunFacts = { runId?: string; usage?: TokenUsage };

/** Returns an error as clients may see it: its code, message and fields and, of a run, its id and usage. */
export function toPublicFailure(error: TroupeError): { code: ErrorCode; message: string } & FailedRunFacts {
  return { ...toPublicError(error), ...factsOf(error) };
}

function factsOf(error: TroupeError): FailedRunFacts {
  if (!(error instanceof RunError)) return {};
  const { runId, usage } = error.output;
  // Without the vendor's own object.
  const { providerMetrics: _, ...counts } = usage;
  return { runId, ...(usage.totalTokens > 0 && { usage: counts }) };
}
