import type { TokenUsage } from "@troupe/core";
import type { WireUsage } from "./wire-types.ts";

/** The tokens of an answer. What was written to the cache or read from it is input that Anthropic does not count as such. */
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

/** What a stream has counted so far: the later numbers stand, and what is not told again stays. */
export function laterUsage(earlier: WireUsage, later: WireUsage = {}): WireUsage {
  const told = Object.entries(later).filter(([, count]) => count !== null && count !== undefined);
  return { ...earlier, ...Object.fromEntries(told) };
}
