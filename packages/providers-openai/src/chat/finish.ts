import type { FinishReason, TokenUsage } from "@troupe/core";
import { getOwn, readObject } from "@troupe/core/kit";
import { readUsage } from "@troupe/core/provider";
import type { FinishReasons } from "../model-call.ts";
import type { ModelRules } from "../model-rules.ts";

const reasons: FinishReasons = { stop: "stop", length: "length", content_filter: "content_filter" };
const ready = ["stop", "tool_calls", "function_call"];

/**
 * Converts the finish reason of Chat Completions. With tool calls, `stop` becomes `tool_calls`, because some servers
 * send `stop` then. An unknown reason becomes `other`.
 */
export function toChatFinishReason(reason: string, hasCalls: boolean): FinishReason {
  if (hasCalls && ready.includes(reason)) return "tool_calls";
  return getOwn(reasons, reason) ?? "other";
}

/**
 * Converts the token counts of Chat Completions to `TokenUsage`. Returns `undefined` if they are not an object. If a
 * server counts reasoning tokens separately, they are added to the completion tokens, because they are billed.
 */
export function toChatUsage(
  usage: unknown,
  { reasoningApart }: Pick<ModelRules, "reasoningApart">,
): TokenUsage | undefined {
  return readUsage(usage, (counts) => {
    const input = readObject(counts["prompt_tokens_details"]);
    const output = readObject(counts["completion_tokens_details"]);
    return {
      promptTokens: counts["prompt_tokens"],
      completionTokens: reasoningApart
        ? sum(counts["completion_tokens"], output["reasoning_tokens"])
        : counts["completion_tokens"],
      totalTokens: counts["total_tokens"],
      cachedTokens: input["cached_tokens"] ?? counts["prompt_cache_hit_tokens"],
      cacheWriteTokens: input["cache_write_tokens"],
      audioInputTokens: input["audio_tokens"],
      reasoningTokens: output["reasoning_tokens"],
      audioOutputTokens: output["audio_tokens"],
    };
  });
}

function sum(count: unknown, more: unknown): unknown {
  return typeof count === "number" && typeof more === "number" ? count + more : count;
}
