/**
 * Tokens used by model calls. Cached, reasoning and audio tokens are included in the prompt and completion tokens.
 * `cachedTokens` were read from the vendor's prompt cache; `cacheWriteTokens` were written to it.
 */
export type TokenUsage = {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  reasoningTokens?: number;
  cachedTokens?: number;
  cacheWriteTokens?: number;
  audioInputTokens?: number;
  audioOutputTokens?: number;
  /** Usage object of the last call, unchanged from the vendor. */
  providerMetrics?: Record<string, unknown>;
};

/** The counters that a usage may omit. */
export const optionalCounters = [
  "reasoningTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "audioInputTokens",
  "audioOutputTokens",
] as const;

/** Usage of zero tokens: there was no call, or the vendor reported no usage. */
export const noUsage: TokenUsage = Object.freeze({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });

/** Returns the sum of two usages. A counter that is absent in both stays absent. The later vendor metrics are kept. */
export function addUsage(earlier: TokenUsage, later: TokenUsage): TokenUsage {
  const sum: TokenUsage = {
    promptTokens: addCounts(earlier.promptTokens, later.promptTokens),
    completionTokens: addCounts(earlier.completionTokens, later.completionTokens),
    totalTokens: addCounts(earlier.totalTokens, later.totalTokens),
  };
  for (const counter of optionalCounters) {
    const [first, second] = [earlier[counter], later[counter]];
    if (first !== undefined || second !== undefined) sum[counter] = addCounts(first ?? 0, second ?? 0);
  }
  const metrics = later.providerMetrics ?? earlier.providerMetrics;
  if (metrics !== undefined) sum.providerMetrics = metrics;
  return sum;
}

/** Adds two counts, limited to integers that JSON and databases store exactly. */
function addCounts(first: number, second: number): number {
  return Math.min(first + second, Number.MAX_SAFE_INTEGER);
}
