import type { FinishReason, TokenUsage } from "@troupe/core";
import { getOwn } from "@troupe/core/adapter";
import type { FinishReasons } from "../model-call.ts";
import type { ChatUsage } from "./wire-types.ts";

const reasons: FinishReasons = { stop: "stop", length: "length", content_filter: "content_filter" };
const ready = ["stop", "tool_calls", "function_call"];

/**
 * Converts the finish reason of Chat Completions. With tool calls, `stop` becomes `tool_calls`, since some servers send
 * it so; an unknown reason becomes `other`.
 */
export function toChatFinishReason(reason: string, hasCalls: boolean): FinishReason {
  if (hasCalls && ready.includes(reason)) return "tool_calls";
  return getOwn(reasons, reason) ?? "other";
}

/** Converts the token counts of Chat Completions to `TokenUsage`. */
export function toChatUsage(usage: ChatUsage): TokenUsage {
  const { prompt_tokens: promptTokens = 0, completion_tokens: completionTokens = 0, total_tokens: total } = usage;
  return {
    promptTokens,
    completionTokens,
    totalTokens: total ?? promptTokens + completionTokens,
    ...partsOf(usage),
    providerMetrics: usage,
  };
}

function partsOf(usage: ChatUsage): Partial<TokenUsage> {
  const { prompt_tokens_details: input, completion_tokens_details: output } = usage;
  const parts: { [Name in keyof TokenUsage]?: number | null | undefined } = {
    reasoningTokens: output?.reasoning_tokens,
    cachedTokens: input?.cached_tokens ?? usage.prompt_cache_hit_tokens,
    audioInputTokens: input?.audio_tokens,
    audioOutputTokens: output?.audio_tokens,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, count]) => typeof count === "number"));
}
