import { createRedactor } from "../../base/log/redact.ts";
import type { Redactor } from "../../base/log/redact.ts";
import type { ObservedRunKind, ObservedRunEnd } from "../../base/telemetry/operations.ts";
import type { OngoingOperation, Telemetry } from "../../base/telemetry/telemetry.ts";
import type { ApiKeys } from "../../model/keys/api-keys.ts";
import type { Run } from "./run.ts";

/** Begins to record a run in telemetry. A later attempt at a durable run records how the previous attempt ended. */
export function beginRunOperation(
  telemetry: Telemetry,
  run: Run,
  kind: ObservedRunKind = "agent",
): OngoingOperation<"run"> {
  const { context, settings, model } = run;
  const { parentRunId, apiKeys, steps } = settings;
  const { durable } = steps;
  const isRoot = parentRunId === undefined;
  const operation = telemetry.begin("run", {
    kind,
    name: context.agentName,
    runId: run.runId,
    parentRunId,
    // The session of a child run is recorded only if the parent run has named the session, because no later run can use
    // a session without a name.
    sessionId: isRoot || settings.isNamedSession ? context.sessionId : undefined,
    model: model && { providerId: model.providerId, modelId: model.modelId },
    attempt: isRoot ? durable?.attempt : undefined,
    redact: lazyRedactor(apiKeys),
    input: () => run.input,
  });
  if (durable !== undefined && isRoot && durable.attempt > 1) {
    operation.note({ type: "takeover", kind: durable.continuesAfter, attempt: durable.attempt });
  }
  return operation;
}

/** Returns a redactor of a run's API keys that is made on its first use, because only recorded content needs it. */
function lazyRedactor(apiKeys: ApiKeys): Redactor {
  let redact: Redactor | undefined;
  return (text, maxLength) => {
    redact ??= createRedactor(Object.values(apiKeys).filter((key) => key !== undefined));
    return redact(text, maxLength);
  };
}

/** Returns the end of a run for telemetry. */
export function endOfRun(run: Run, status: ObservedRunEnd["status"], error?: unknown): ObservedRunEnd {
  return { status, usage: run.meter.total, text: () => run.text, ...(error !== undefined && { error }) };
}
