import type { ApiKeys } from "../keys/api-keys.ts";

/** Bounds of one run; a run that passes one ends as error `limit_exceeded`. */
export type RunLimits = {
  /** How long the run may take. @default 600000 */
  durationMs?: number;
  /** How many tokens all its model calls together may use. */
  totalTokens?: number;
};

/** What a caller may say about one run. */
export type RunOpts = {
  sessionId?: string;
  userId?: string;
  metadata?: Record<string, unknown>;
  /** A key for the vendor of what is called; never sent to another vendor. */
  apiKey?: string;
  /** One key per vendor. */
  apiKeys?: ApiKeys;
  /** Ends the run as cancelled. */
  signal?: AbortSignal;
  limits?: RunLimits;
};
