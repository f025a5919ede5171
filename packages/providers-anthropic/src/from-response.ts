import type { ModelResponse } from "@troupe/core/adapter";
import { toVendorState } from "./replay.ts";
import { toFinishReason } from "./to-finish-reason.ts";
import { toUsage } from "./to-usage.ts";
import { TruncatedResponseError, VendorError } from "./vendor-error.ts";
import type { WireBlock, WireFailure, WireMessage } from "./wire-types.ts";

/**
 * Converts the JSON body of an answer that was not streamed to a `ModelResponse`, without tool calls: requests with
 * tools are streamed. Throws `VendorError` when it holds an error, and `TruncatedResponseError` when it has no end.
 */
export function fromResponse(text: string, model: { providerId: string; modelId: string }): ModelResponse {
  const message = JSON.parse(text) as WireMessage | WireFailure;
  if (message.type === "error") throw new VendorError(message);
  const { id, model: answeredBy, content, stop_reason: stopReason, usage = {} } = message;
  if (!Array.isArray(content) || typeof stopReason !== "string")
    throw new TruncatedResponseError("The answer has no end.");
  const thinking = joined(content, (block) => (block.type === "thinking" ? block.thinking : ""));
  const vendorState = toVendorState(content, model);
  return {
    text: joined(content, (block) => (block.type === "text" ? block.text : "")),
    toolCalls: [],
    ...(thinking !== "" && { thinking }),
    usage: toUsage(usage),
    finishReason: toFinishReason(stopReason),
    responseId: id,
    model: answeredBy,
    ...(vendorState !== undefined && { vendorState }),
  };
}

function joined(blocks: readonly WireBlock[], textOf: (block: WireBlock) => string): string {
  return blocks.map(textOf).join("");
}
