import type { ErrorCode } from "../../base/errors/troupe-error.ts";
import { writesLevel } from "../../base/log/logger.ts";
import type { CompleteRunOutput } from "./run-output.ts";
import type { Run } from "./run.ts";

/**
 * Logs the end of a run in one line at level `info`: its name, status or error code, duration and tokens, without any
 * content.
 */
export function logRunEnd({ logger, context, settings }: Run, output: CompleteRunOutput, code?: ErrorCode): void {
  if (!writesLevel(logger, "info")) return;
  const { agentName: name } = context;
  const { parentRunId } = settings;
  const { status, durationMs, usage } = output;
  const end = code === undefined ? "completed" : code === "cancelled" ? "was cancelled" : "failed";
  logger.info(`The run ${end}.`, { name, parentRunId, status, code, durationMs, tokens: usage.totalTokens });
}
