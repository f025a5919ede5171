import type { RunContext } from "./run-context.ts";

/**
 * The ids that every event of a run has: of the run itself, of the parent run and the tool call that started the run,
 * and of the caller.
 */
export type EventIds = {
  runId: string;
  parentRunId?: string;
  /** The id of the parent run's tool call that started the run, for a team's member or an agent used as a tool. */
  delegationId?: string;
  /** The session of the caller, also in the events of child runs. */
  sessionId: string;
  userId?: string;
  tenantId?: string;
};

/** Returns the ids that every event of a run has. */
export function eventIdsOf(context: RunContext): EventIds {
  const { runId, parentRunId, delegationId, sessionId, userId, tenantId } = context;
  return {
    runId,
    ...(parentRunId !== undefined && { parentRunId }),
    ...(delegationId !== undefined && { delegationId }),
    sessionId,
    ...(userId !== undefined && { userId }),
    ...(tenantId !== undefined && { tenantId }),
  };
}
