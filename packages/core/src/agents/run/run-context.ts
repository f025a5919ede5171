import type { Logger } from "../../base/log/logger.ts";

/**
 * The facts of a run (ids, user, metadata, signal, logger), as tools, hooks, guardrails and instructions see them. It
 * holds no API keys.
 */
export type RunContext = {
  readonly runId: string;
  readonly parentRunId?: string;
  readonly agentName: string;
  /** The session of the caller. A member of a team and an agent of a workflow's step see it too, and not one of their own. */
  readonly sessionId: string;
  readonly userId?: string;
  /** The user's tenant, in a service with several. */
  readonly tenantId?: string;
  /** False when the client claims to be the user and nothing has proven it: do not act with that user's rights. */
  readonly verified?: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Aborts when the run ends early: pass it to everything that waits. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Within a tool: the id of the call. */
  readonly toolCallId?: string;
  /** Within a tool: a key that is the same for every attempt at this call. */
  readonly idempotencyKey?: string;
};
