import type { TokenUsage } from "@troupe/core";
import { sumCounts, readObject } from "@troupe/core/kit";
import { noUsage, readUsage } from "@troupe/core/provider";
import type { WireUsage } from "./wire-types.ts";

/**
 * Converts Anthropic's token counts to `TokenUsage`. `promptTokens` includes the tokens from and to the cache, which
 * Anthropic counts separately.
 */
export function toUsage(usage: unknown): TokenUsage {
  return readUsage(usage, toCounts) ?? noUsage;
}

function toCounts(usage: WireUsage) {
  const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage;
  return {
    promptTokens: sumCounts(input, read, written),
    completionTokens: usage["output_tokens"],
    cachedTokens: read,
    cacheWriteTokens: written,
    reasoningTokens: readObject(usage["output_tokens_details"])["thinking_tokens"],
  };
}

/**
 * Merges the token counts of two events of a stream. A field in `later` replaces the field in `earlier`; a missing or
 * `null` field does not.
 */
export function laterUsage(earlier: WireUsage, later: unknown): WireUsage {
  const told = Object.entries(readObject(later)).filter(([, count]) => count !== null && count !== undefined);
  return { ...earlier, ...Object.fromEntries(told) };
}
