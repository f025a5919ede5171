import type { ContentBlockParam, TextCitationParam } from "@anthropic-ai/sdk/resources/messages";
import { readObjects, readText } from "@troupe/core/kit";
import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";
import { isHosted } from "./sources.ts";
import type { WireBlock } from "./wire-types.ts";

type ModelName = { readonly providerId: string; readonly modelId: string };

/**
 * Returns the `vendorState` of an answer with thinking or with calls of the vendor's own tools. The run's next model
 * call sends it back. It has all blocks, because a signature is valid only among its original blocks. Calls of the
 * vendor's tools and their results are also sent in later turns, because the model would otherwise search again.
 * Otherwise returns `undefined`.
 */
export function toVendorState(blocks: readonly WireBlock[], model: ModelName): VendorState | undefined {
  const stored = blocks.some(isHosted);
  if (!stored && !blocks.some(isThinking)) return undefined;
  const { providerId, modelId } = model;
  return { providerId, modelId, items: blocks.flatMap(toReplay), ...(stored && { stored }) };
}

/**
 * Returns the original blocks of an assistant message to send back, if this model made them and the message still has
 * the same tool calls. Otherwise returns `undefined`: the message must be converted.
 */
export function replayOf(message: ModelMessage, model: ModelName): ContentBlockParam[] | undefined {
  const state = vendorStateOf(message, model);
  if (state === undefined || !Array.isArray(state.items)) return undefined;
  const blocks = state.items as ContentBlockParam[];
  const called = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const kept = (message.toolCalls ?? []).map(({ id }) => id);
  // The ids of the tool calls come from the vendor and may be any value.
  const isSame = called.length === kept.length && called.every((id, index) => id === kept[index]);
  return isSame ? blocks.map(toOwnBlock) : undefined;
}

/** Copies a block, because its id may be replaced. Gives a tool call a name that the vendor accepts. */
function toOwnBlock(block: ContentBlockParam): ContentBlockParam {
  return block.type === "tool_use" ? { ...block, name: toLegalName(readText(block.name)) } : { ...block };
}

/**
 * Returns the name of a tool call with only characters that the vendor accepts: models invent names with other
 * characters.
 */
export function toLegalName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64) || "_";
}

/** Returns true if a block of an answer is thinking, readable (`thinking`) or not (`redacted_thinking`). */
export function isThinking({ type }: { type?: unknown }): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Returns a block in the form in which it is sent back. Returns an empty array for unknown types. */
export function toReplay(block: WireBlock): ContentBlockParam[] {
  if (block.type === "text") return toTextReplay(block);
  const isKept = block.type === "tool_use" || isThinking(block) || isHosted(block);
  return isKept ? [block as unknown as ContentBlockParam] : [];
}

/**
 * Returns a text block to send back. The vendor refuses blank text, and most of its own citations. It requires the
 * citations of its search, which hold a reference.
 */
function toTextReplay(block: WireBlock): ContentBlockParam[] {
  const text = readText(block["text"]);
  if (text.trim() === "") return [];
  const found = readObjects(block["citations"]).filter(({ type }) => type === "web_search_result_location");
  return [{ type: "text", text, ...(found.length > 0 && { citations: found as unknown as TextCitationParam[] }) }];
}
