import { readObject, readObjects, readText } from "@troupe/core/adapter";
import type { ModelResponse } from "@troupe/core/adapter";
import { toVendorState } from "./replay.ts";
import { toFinishReason } from "./to-finish-reason.ts";
import { toUsage } from "./to-usage.ts";
import { TruncatedResponseError, VendorError } from "./vendor-error.ts";
import type { WireBlock, WireMessage } from "./wire-types.ts";

/**
 * Converts the JSON body of an answer that was not streamed to a `ModelResponse`, without tool calls: requests with
 * tools are streamed. Throws `VendorError` when it holds an error, and `TruncatedResponseError` when it has no end.
 */
export function fromResponse(text: string, model: { providerId: string; modelId: string }): ModelResponse {
  const message: WireMessage = readObject(JSON.parse(text));
  if (message.type === "error" || isGiven(message.error)) throw new VendorError(message);
  const [stopReason, id, answeredBy] = [message.stop_reason, message.id, message.model].map(readText);
  if (!Array.isArray(message.content) || !stopReason) throw new TruncatedResponseError("The answer has no end.");
  const blocks: WireBlock[] = readObjects(message.content);
  const thinking = joined(blocks, "thinking");
  const vendorState = toVendorState(blocks, model);
  return {
    text: joined(blocks, "text"),
    toolCalls: [],
    ...(thinking !== "" && { thinking }),
    usage: toUsage(message.usage),
    finishReason: toFinishReason(stopReason),
    ...(id && { responseId: id }),
    ...(answeredBy && { model: answeredBy }),
    ...(vendorState !== undefined && { vendorState }),
  };
}

function isGiven(error: unknown): boolean {
  return error !== undefined && error !== null;
}

function joined(blocks: readonly WireBlock[], type: "text" | "thinking"): string {
  return blocks.map((block) => (block.type === type ? readText(block[type]) : "")).join("");
}
