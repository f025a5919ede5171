import type { TokenUsage } from "@troupe/core";
import { sumCounts } from "@troupe/core/kit";
import { readUsage } from "@troupe/core/provider";

/**
 * Converts Bedrock's token counts to `TokenUsage`. `promptTokens` includes the tokens that were read from the cache or
 * written to it, which Bedrock counts separately. Returns `undefined` if the counts are not an object.
 */
export function toUsage(usage: unknown): TokenUsage | undefined {
  return readUsage(usage, (counts) => {
    const { inputTokens, cacheReadInputTokens: read, cacheWriteInputTokens: written } = counts;
    return {
      promptTokens: sumCounts(inputTokens, read, written),
      completionTokens: counts["outputTokens"],
      cachedTokens: read,
      cacheWriteTokens: written,
    };
  });
}
