import type { EventBus } from "../../base/events/event-bus.ts";
import { silentLogger } from "../../base/log/logger.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { ToolArtifact, ToolCallResult } from "../../base/message/tool-call.ts";
import { callersSessionId } from "../../sessions/session/session-id.ts";
import { withSlot } from "./context-slot.ts";
import type { RunContext } from "./run-context.ts";
import type { RunEvents } from "./run-events.ts";
import type { RunSettings } from "./run-options.ts";

/**
 * Constructor options of a `Run`: the runnable's name and model, the input, the checked settings, the event bus and the
 * logger.
 */
export type RunInit = {
  readonly name: string;
  readonly input: MessageContent;
  readonly settings: RunSettings;
  readonly eventBus: EventBus<RunEvents>;
  /** The logger of the run. @default the parent run's logger with the name added; without a parent run, no logger */
  readonly logger?: Logger | undefined;
  readonly model?: { readonly providerId: string; readonly modelId: string } | undefined;
};

/** Makes the context of a run, which hooks, tools and guardrails see. `runOfContext` returns the run of a context. */
export function contextOf(run: Pick<RunContext, "signal" | "logger">, { name, settings }: RunInit): RunContext {
  const { runId, parentRunId, delegationId, sessionId, userId, verified, tenantId, metadata } = settings;
  const facts: RunContext = {
    runId,
    ...(parentRunId !== undefined && { parentRunId }),
    ...(delegationId !== undefined && { delegationId }),
    agentName: name,
    sessionId: callersSessionId(sessionId),
    ...(userId !== undefined && { userId }),
    ...(!verified && { verified }),
    ...(tenantId !== undefined && { tenantId }),
    metadata,
    signal: run.signal,
    logger: run.logger,
  };
  return withSlot(facts, { run });
}

/** Returns the logger of a run. It adds the run's name to each line, and masks the API keys that the run uses. */
export function loggerFor({ name, logger, settings }: RunInit): Logger {
  const { runId, parentLogger, apiKeys, telemetry } = settings;
  const own = logger ?? parentLogger?.child(name);
  if (own === undefined) return silentLogger;
  const ofRun = own.withSecrets(Object.values(apiKeys)).child({ runId });
  return telemetry === undefined ? ofRun : ofRun.child(telemetry.logFields);
}

/** Returns the artifacts of tool calls, each with the call that made it. */
export function artifactsOf(toolCalls: readonly ToolCallResult[]): ToolArtifact[] {
  return toolCalls.flatMap(({ artifacts = [], toolCallId, toolName }) =>
    artifacts.map((artifact) => ({ ...artifact, toolCallId, toolName })),
  );
}
