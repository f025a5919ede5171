import type { Logger } from "../../base/log/logger.ts";

/**
 * The facts of a run (ids, user, metadata, signal, logger) for tools, hooks, guardrails and instructions. It contains
 * no API keys.
 */
export type RunContext = {
  readonly runId: string;
  readonly parentRunId?: string;
  /** The id of the parent run's tool call that started this run: of a team's member, or of an agent as a tool. */
  readonly delegationId?: string;
  readonly agentName: string;
  /**
   * The session of the caller. A team's member, and an agent in a workflow step, also see this session instead of their
   * own.
   */
  readonly sessionId: string;
  readonly userId?: string;
  /** The user's tenant, in a service with several tenants. */
  readonly tenantId?: string;
  /** False if the client only claims to be the user, without proof. Do not act with that user's rights. */
  readonly verified?: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Signal that aborts when the run ends early. Pass it to every operation that waits. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** The id of the tool call; set only within a tool. */
  readonly toolCallId?: string;
  /** A key that is the same for every attempt at this tool call or workflow step; set only within a tool or a step. */
  readonly idempotencyKey?: string;
};
