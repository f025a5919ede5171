import type { Logger } from "../log/logger.ts";

/** What tools, hooks, guardrails and instructions know of the run they are part of. It holds no keys. */
export type RunContext = {
  readonly runId: string;
  readonly parentRunId?: string;
  readonly agentName: string;
  readonly sessionId: string;
  readonly userId?: string;
  /** False when the client claims to be the user and nothing has proven it: do not act with that user's rights. */
  readonly verified?: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Aborts when the run ends before its time; hand it to everything that waits. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** Within a tool: the call it answers. */
  readonly toolCallId?: string;
  /** Within a tool: the same for every attempt at this call. */
  readonly idempotencyKey?: string;
};
