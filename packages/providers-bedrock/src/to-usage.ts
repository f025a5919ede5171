import type { TokenUsage } from "@troupe/core";
import { readCount } from "@troupe/core/kit";
import { readUsage } from "@troupe/core/provider";

/**
 * Converts Bedrock's token counts to `TokenUsage`. `promptTokens` includes the tokens from and to the cache, which
 * Bedrock counts separately. Undefined without an object of counts.
 */
export function toUsage(usage: unknown): TokenUsage | undefined {
  return readUsage(usage, (counts) => {
    const { inputTokens, cacheReadInputTokens: read, cacheWriteInputTokens: written } = counts;
    return {
      promptTokens: readCount(inputTokens, read, written),
      completionTokens: counts["outputTokens"],
      cachedTokens: read,
      cacheWriteTokens: written,
    };
  });
}
