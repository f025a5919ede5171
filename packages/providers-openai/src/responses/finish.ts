import type { FinishReason, TokenUsage } from "@troupe/core";
import { getOwn, readObject, readText } from "@troupe/core/kit";
import { readUsage } from "@troupe/core/provider";
import type { ModelChunk } from "@troupe/core/provider";
import type { FinishReasons, ModelIdentity } from "../model-call.ts";
import { toFinishDetails } from "../finish-details.ts";
import { toVendorState } from "./replay.ts";
import { countNameless } from "./streamed-calls.ts";
import type { OutputItem, WireResponse } from "./wire-types.ts";

const reasons: FinishReasons = { max_output_tokens: "length", content_filter: "content_filter" };

/**
 * Converts the end of a Responses answer to a finish reason: the reason given for an incomplete answer, else
 * `tool_calls` or `stop`.
 */
export function toResponsesFinishReason(
  { status, incomplete_details: details }: WireResponse,
  hasCalls: boolean,
): FinishReason {
  if (status === "incomplete") return getOwn(reasons, readText(readObject(details)["reason"])) ?? "other";
  return hasCalls ? "tool_calls" : "stop";
}

/** Converts the token counts of Responses to `TokenUsage`. Returns `undefined` if they are not an object. */
export function toResponsesUsage(usage: unknown): TokenUsage | undefined {
  return readUsage(usage, (counts) => {
    const [input, output] = [readObject(counts["input_tokens_details"]), readObject(counts["output_tokens_details"])];
    return {
      promptTokens: counts["input_tokens"],
      completionTokens: counts["output_tokens"],
      totalTokens: counts["total_tokens"],
      cachedTokens: input["cached_tokens"],
      cacheWriteTokens: input["cache_write_tokens"],
      reasoningTokens: output["reasoning_tokens"],
    };
  });
}

type Ending = { maker: ModelIdentity; items: OutputItem[]; hasCalls: boolean };

/** Creates the last chunk of a streamed Responses answer, with its items as `vendorState`. */
export function toFinishChunk(response: WireResponse, { maker, items, hasCalls }: Ending): ModelChunk {
  const { id, model } = response;
  const usage = toResponsesUsage(response.usage);
  const finishReason = toResponsesFinishReason(response, hasCalls);
  const details = toFinishDetails({
    id,
    model,
    vendorState: toVendorState(maker, items),
    skippedCalls: countNameless(items),
  });
  return { type: "finish", finishReason, ...(usage && { usage }), ...details };
}
