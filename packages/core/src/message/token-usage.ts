/** What model calls cost. Cached and reasoning tokens are parts of the totals, not additions to them. */
export type TokenUsage = {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  reasoningTokens?: number;
  cachedTokens?: number;
  audioInputTokens?: number;
  audioOutputTokens?: number;
  /** The usage object of the vendor's last call, unmodified. */
  providerMetrics?: Record<string, unknown>;
};
