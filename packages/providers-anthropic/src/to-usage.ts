import type { TokenUsage } from "@troupe/core";
import type { WireUsage } from "./wire-types.ts";

/** Converts the usage of an answer. Anthropic counts tokens from and to the cache apart from the input. */
export function toUsage(usage: WireUsage): TokenUsage {
  const cachedTokens = usage.cache_read_input_tokens ?? undefined;
  const reasoningTokens = usage.output_tokens_details?.thinking_tokens ?? undefined;
  const promptTokens = (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + (cachedTokens ?? 0);
  const completionTokens = usage.output_tokens ?? 0;
  return {
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    ...(cachedTokens !== undefined && { cachedTokens }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    providerMetrics: usage,
  };
}

/** Merges the counts of a stream: later numbers replace earlier ones. */
export function laterUsage(earlier: WireUsage, later: WireUsage = {}): WireUsage {
  const told = Object.entries(later).filter(([, count]) => count !== null && count !== undefined);
  return { ...earlier, ...Object.fromEntries(told) };
}
