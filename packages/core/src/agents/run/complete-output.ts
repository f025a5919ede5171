import { TroupeError } from "../../base/errors/troupe-error.ts";
import { elapsedMs } from "../../base/util/elapsed-ms.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { RunOpts } from "./run-options.ts";
import type { CompleteRunOutput, RunOutput } from "./run-output.ts";

/**
 * Completes the output of a runnable for a transport, because a third party's output may have only `text`, `toolCalls`
 * and `usage`. Throws `invalid_value` if one of these is missing.
 *
 * @param opts the options that the run was given
 * @param startedAt the start of the run, by `performance.now`
 */
export function fillOutput(
  output: RunOutput,
  { runId = "", sessionId = "" }: Pick<RunOpts, "runId" | "sessionId">,
  startedAt: number,
): CompleteRunOutput {
  checkOutput(output);
  if (isComplete(output)) return output;
  const own = Object.entries(output).filter(([, value]) => value !== undefined);
  const missing = { runId, sessionId, status: "completed", durationMs: elapsedMs(startedAt) } as const;
  return { ...missing, ...(Object.fromEntries(own) as RunOutput) } as CompleteRunOutput;
}

/** Returns true if an output has ids, a status and a duration. The output of a user's own runnable may lack them. */
function isComplete(output: RunOutput): output is CompleteRunOutput {
  const { runId, sessionId, status, durationMs } = output;
  return runId !== undefined && sessionId !== undefined && status !== undefined && durationMs !== undefined;
}

/** Throws if a runnable's output is malformed. A runnable in plain JavaScript may return anything. */
function checkOutput(output: unknown): void {
  const { text, toolCalls, usage }: Record<string, unknown> = isRecord(output) ? output : {};
  if (typeof text === "string" && Array.isArray(toolCalls) && isRecord(usage)) return;
  const message = "The output of a runnable must have text (a string), toolCalls (an array) and usage (an object).";
  throw new TroupeError("invalid_value", `${message} Return the three from its run().`);
}
