import type { FinishReason, TokenUsage } from "@troupe/core";
import { getOwn } from "@troupe/core/adapter";
import type { ModelFinish } from "@troupe/core/adapter";
import type { WireModality, WireUsage } from "./wire-types.ts";

/** The end of an answer, as Gemini sends it. */
type WireEnd = { reason: string; hasCalls: boolean; usage: WireUsage };

/**
 * Converts the finish reason and token counts of a Gemini answer to its finish chunk. `STOP` after tool calls becomes
 * `tool_calls`; an unknown reason becomes `other`.
 */
export function toFinish({ reason, hasCalls, usage }: WireEnd): ModelFinish {
  return { type: "finish", finishReason: toFinishReason(reason, hasCalls), usage: toUsage(usage) };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  CONTINUATION: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  MALFORMED_FUNCTION_CALL: "error",
  MALFORMED_RESPONSE: "error",
  UNEXPECTED_TOOL_CALL: "error",
  TOO_MANY_TOOL_CALLS: "error",
};

/** Gemini has no reason for tool calls: it sends STOP. */
function toFinishReason(reason: string, hasCalls: boolean): FinishReason {
  if (reason === "STOP" && hasCalls) return "tool_calls";
  if (reason.startsWith("IMAGE_")) return "content_filter";
  return getOwn(finishReasons, reason) ?? "other";
}

/** Adds what Gemini counts apart: thoughts to the output, results of its own tools to the input. */
function toUsage(usage: WireUsage): TokenUsage {
  const promptTokens = (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0);
  const completionTokens = (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0);
  return {
    promptTokens,
    completionTokens,
    totalTokens: usage.totalTokenCount ?? promptTokens + completionTokens,
    ...counted("reasoningTokens", usage.thoughtsTokenCount),
    ...counted("cachedTokens", usage.cachedContentTokenCount),
    ...counted("audioInputTokens", audioIn(usage.promptTokensDetails)),
    ...counted("audioOutputTokens", audioIn(usage.candidatesTokensDetails)),
    providerMetrics: usage,
  };
}

function counted(name: keyof TokenUsage, count: number | undefined): Partial<TokenUsage> {
  return count === undefined ? {} : { [name]: count };
}

function audioIn(details: readonly WireModality[] = []): number | undefined {
  return details.find(({ modality }) => modality === "AUDIO")?.tokenCount;
}
