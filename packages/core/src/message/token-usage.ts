/** What model calls cost. Cached, reasoning and audio tokens are parts of the totals, not additions to them. */
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

const optionalCounters = ["reasoningTokens", "cachedTokens", "audioInputTokens", "audioOutputTokens"] as const;

/** The usage of nothing. */
export const noUsage: TokenUsage = Object.freeze({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });

/**
 * The usage of both. A counter that neither side has stays absent: "none reported" is not "zero". The vendor's own
 * metrics cannot be added, so the later side's are kept.
 */
export function addUsage(earlier: TokenUsage, later: TokenUsage): TokenUsage {
  const sum: TokenUsage = {
    promptTokens: earlier.promptTokens + later.promptTokens,
    completionTokens: earlier.completionTokens + later.completionTokens,
    totalTokens: earlier.totalTokens + later.totalTokens,
  };
  for (const counter of optionalCounters) {
    const [first, second] = [earlier[counter], later[counter]];
    if (first !== undefined || second !== undefined) sum[counter] = (first ?? 0) + (second ?? 0);
  }
  const metrics = later.providerMetrics ?? earlier.providerMetrics;
  if (metrics !== undefined) sum.providerMetrics = metrics;
  return sum;
}

/** Usage whose every counter can be added: what a vendor reports as something else than a number counts for nothing. */
export function soundUsage(usage: TokenUsage | undefined): TokenUsage {
  if (usage === undefined || usage === null) return noUsage;
  const { promptTokens, completionTokens, totalTokens } = usage;
  const sound: TokenUsage = {
    promptTokens: soundCount(promptTokens),
    completionTokens: soundCount(completionTokens),
    totalTokens: soundCount(totalTokens, soundCount(promptTokens) + soundCount(completionTokens)),
  };
  for (const counter of optionalCounters) {
    if (usage[counter] !== undefined) sound[counter] = soundCount(usage[counter]);
  }
  if (usage.providerMetrics !== undefined) sound.providerMetrics = usage.providerMetrics;
  return sound;
}

function soundCount(count: unknown, otherwise = 0): number {
  return typeof count === "number" && Number.isFinite(count) && count >= 0 ? count : otherwise;
}
