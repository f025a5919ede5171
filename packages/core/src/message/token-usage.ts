/**
 * Tokens used by model calls. Cached, reasoning and audio tokens are included in the prompt and completion tokens:
 * `cachedTokens` were read from the vendor's prompt cache, `cacheWriteTokens` written to it.
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
  /** Usage object of the last call as the vendor sent it. */
  providerMetrics?: Record<string, unknown>;
};

const optionalCounters = [
  "reasoningTokens",
  "cachedTokens",
  "cacheWriteTokens",
  "audioInputTokens",
  "audioOutputTokens",
] as const;

/** Usage of zero tokens, for no call or a call whose vendor reported none. */
export const noUsage: TokenUsage = Object.freeze({ promptTokens: 0, completionTokens: 0, totalTokens: 0 });

/**
 * Returns the sum of two usages. A counter that neither has stays absent; of the vendor's own metrics the later ones
 * are kept.
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

/**
 * Returns a usage that can be added up, from one that a vendor or other code reports: a counter that is not a number of
 * 0 or more becomes 0, a missing total the sum of both, and no usage `noUsage`.
 */
export function normalizeUsage(usage: TokenUsage | undefined): TokenUsage {
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
