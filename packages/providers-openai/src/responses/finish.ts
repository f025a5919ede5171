import type { FinishReason, TokenUsage } from "@troupe/core";
import { getOwn } from "@troupe/core/adapter";
import type { ModelChunk } from "@troupe/core/adapter";
import type { FinishReasons } from "../model-call.ts";
import { toFinishDetails } from "../finish-details.ts";
import { toVendorState } from "./replay.ts";
import type { OutputItem, ResponseUsage, WireResponse } from "./wire-types.ts";

const reasons: FinishReasons = { max_output_tokens: "length", content_filter: "content_filter" };

/**
 * Converts the end of a Responses answer to a finish reason: that of an incomplete one, else `tool_calls` or `stop`.
 */
export function toResponsesFinishReason(
  { status, incomplete_details: details }: WireResponse,
  hasCalls: boolean,
): FinishReason {
  if (status === "incomplete") return getOwn(reasons, details?.reason ?? "") ?? "other";
  return hasCalls ? "tool_calls" : "stop";
}

/** Converts the token counts of Responses to `TokenUsage`. */
export function toResponsesUsage(usage: ResponseUsage): TokenUsage {
  const { input_tokens: promptTokens = 0, output_tokens: completionTokens = 0, total_tokens: total } = usage;
  const cachedTokens = usage.input_tokens_details?.cached_tokens;
  const reasoningTokens = usage.output_tokens_details?.reasoning_tokens;
  return {
    promptTokens,
    completionTokens,
    totalTokens: total ?? promptTokens + completionTokens,
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cachedTokens !== undefined && { cachedTokens }),
    providerMetrics: usage,
  };
}

type Ending = { modelId: string; items: OutputItem[]; hasCalls: boolean };

/** Creates the last chunk of a streamed Responses answer, with its items as `vendorState`. */
export function toFinishChunk(response: WireResponse, { modelId, items, hasCalls }: Ending): ModelChunk {
  const { id, model, usage } = response;
  const finishReason = toResponsesFinishReason(response, hasCalls);
  const details = toFinishDetails({ id, model, vendorState: toVendorState(modelId, items) });
  return { type: "finish", finishReason, ...(usage && { usage: toResponsesUsage(usage) }), ...details };
}
