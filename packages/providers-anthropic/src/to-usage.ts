import type { TokenUsage } from "@troupe/core";
import type { WireUsage } from "./wire-types.ts";

/**
 * Converts Anthropic's token counts to `TokenUsage`. `promptTokens` includes the tokens from and to the cache, which
 * Anthropic counts apart from the input.
 */
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

/**
 * Merges the token counts of two events of a stream: each number in `later` replaces the one in `earlier`, and a
 * missing or `null` one does not.
 */
export function laterUsage(earlier: WireUsage, later: WireUsage = {}): WireUsage {
  const told = Object.entries(later).filter(([, count]) => count !== null && count !== undefined);
  return { ...earlier, ...Object.fromEntries(told) };
}
