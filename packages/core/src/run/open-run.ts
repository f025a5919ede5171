import type { TroupeError } from "../errors/troupe-error.ts";
import type { Logger } from "../log/logger.ts";
import { createRunContext } from "./run-context.ts";
import type { RunContext } from "./run-context.ts";
import { RunRecord } from "./run-record.ts";
import type { ActiveRun, RunSpec } from "./run-work.ts";
import { UsageMeter } from "./usage-meter.ts";

/** Who opens a run: its id, its signal, and who is told when it has used too much. */
type Opening = { runId: string; signal: AbortSignal; onExceeded: (error: TroupeError) => void };

/** Makes what a run has of its own: its account, its record and its context. */
export function openRun<Structured>(spec: RunSpec<Structured>, opening: Opening): ActiveRun<Structured> {
  const { request, input, model, name } = spec;
  const { runId, signal, onExceeded } = opening;
  const { sessionId, userId, tenantId, apiKeys, scratch, fromOutside } = request;
  const meter = new UsageMeter({ parent: request.parentMeter, totalTokens: request.limits.totalTokens, onExceeded });
  const endsAt = performance.now() + request.limits.durationMs;
  const facts = { runId, agentName: name, sessionId, userId, model: model?.modelId, modelProvider: model?.providerId };
  const context: RunContext = {
    runId,
    ...(request.parentRunId !== undefined && { parentRunId: request.parentRunId }),
    agentName: name,
    sessionId,
    ...(userId !== undefined && { userId }),
    metadata: request.metadata,
    signal,
    logger: loggerOf(spec, runId),
  };
  return {
    input,
    request,
    context: createRunContext(context, { apiKeys, tenantId, meter, scratch, endsAt, fromOutside }),
    record: new RunRecord<Structured>(facts, meter, input),
    meter,
  };
}

function loggerOf({ logger, request }: Pick<RunSpec, "logger" | "request">, runId: string): Logger {
  return logger.withSecrets(Object.values(request.apiKeys)).child({ runId });
}
