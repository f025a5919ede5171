import type { TokenUsage } from "@troupe/core";

/** Converts the usage of a run to the form of Chat Completions. */
export function toChatUsage(usage: TokenUsage): object {
  const { promptTokens, completionTokens, totalTokens, cachedTokens = 0, reasoningTokens = 0 } = usage;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: totalTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens, audio_tokens: usage.audioInputTokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens, audio_tokens: usage.audioOutputTokens ?? 0 },
  };
}

/** Converts the usage of a run to the form of the Responses API. */
export function toResponseUsage(usage: TokenUsage): object {
  const { promptTokens, completionTokens, totalTokens, cachedTokens = 0, reasoningTokens = 0 } = usage;
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: usage.cacheWriteTokens ?? 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: totalTokens,
  };
}
