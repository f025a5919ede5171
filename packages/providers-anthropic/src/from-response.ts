import type { ToolCall } from "@troupe/core";
import { createId, readObject, readObjects, readText } from "@troupe/core/kit";
import { TruncatedResponseError } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import { toVendorState } from "./replay.ts";
import { sourcesIn } from "./sources.ts";
import { toFinishReason } from "./to-finish-reason.ts";
import { toUsage } from "./to-usage.ts";
import { toVendorError } from "./errors.ts";
import type { WireBlock, WireMessage } from "./wire-types.ts";

/**
 * Converts the JSON of an unstreamed answer to a `ModelResponse`. Throws `VendorError` if it contains an error, and
 * `TruncatedResponseError` if it has no content or no stop reason.
 */
export function fromResponse(body: unknown, model: { providerId: string; modelId: string }): ModelResponse {
  const message: WireMessage = readObject(body);
  if (message.type === "error" || isGiven(message.error)) throw toVendorError(message);
  const [stopReason, id, answeredBy] = [message.stop_reason, message.id, message.model].map(readText);
  if (!Array.isArray(message.content) || !stopReason)
    throw new TruncatedResponseError("sent an answer without its end");
  const blocks: WireBlock[] = readObjects(message.content);
  const thinking = joined(blocks, "thinking");
  const vendorState = toVendorState(blocks, model);
  const sources = blocks.flatMap(sourcesIn);
  return {
    text: joined(blocks, "text"),
    ...toCalls(blocks),
    ...(thinking !== "" && { thinking }),
    ...(sources.length > 0 && { sources }),
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

function toCalls(blocks: readonly WireBlock[]): Pick<ModelResponse, "toolCalls" | "skippedCalls"> {
  const toolCalls = blocks.flatMap(toCall);
  const skippedCalls = blocks.filter(({ type }) => type === "tool_use").length - toolCalls.length;
  return { toolCalls, ...(skippedCalls > 0 && { skippedCalls }) };
}

/** Converts a block to a tool call. A call without a name is dropped: it can neither be executed nor sent back. */
function toCall(block: WireBlock): ToolCall[] {
  const [id, name] = [readText(block["id"]), readText(block["name"])];
  if (block.type !== "tool_use" || name === "") return [];
  return [{ id: id || `toolu_${createId().replaceAll("-", "")}`, name, arguments: { ...readObject(block["input"]) } }];
}

function joined(blocks: readonly WireBlock[], type: "text" | "thinking"): string {
  return blocks.map((block) => (block.type === type ? readText(block[type]) : "")).join("");
}
