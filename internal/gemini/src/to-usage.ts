import type { TokenUsage } from "@troupe/core";
import type { WireModality, WireUsage } from "./wire-types.ts";

/** The tokens of an answer. Gemini counts neither thoughts as output nor the results of its own tools as input. */
export function toUsage(usage: WireUsage): TokenUsage {
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
