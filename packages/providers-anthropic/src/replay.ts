import type { ContentBlockParam, TextCitationParam } from "@anthropic-ai/sdk/resources/messages";
import { readObjects, readText } from "@troupe/core/kit";
import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";
import { isHosted } from "./sources.ts";
import type { WireBlock } from "./wire-types.ts";

type ModelName = { readonly providerId: string; readonly modelId: string };

/**
 * Returns the `vendorState` of an answer with thinking or with calls of the vendor's own tools, which the next model call
 * of the run sends back: all blocks, since a signature is valid only among the blocks that it came with. The calls of the
 * vendor's tools and their results go back in later turns too: without them, the model would search again. Else `undefined`.
 */
export function toVendorState(blocks: readonly WireBlock[], model: ModelName): VendorState | undefined {
  const stored = blocks.some(isHosted);
  if (!stored && !blocks.some(isThinking)) return undefined;
  const { providerId, modelId } = model;
  return { providerId, modelId, items: blocks.flatMap(toReplay), ...(stored && { stored }) };
}

/**
 * Returns the original blocks of an assistant message, to send them back, if this model made them and the
 * message still has the same tool calls. Else `undefined`: the message must be converted.
 */
export function replayOf(message: ModelMessage, model: ModelName): ContentBlockParam[] | undefined {
  const state = vendorStateOf(message, model);
  if (state === undefined || !Array.isArray(state.items)) return undefined;
  const blocks = state.items as ContentBlockParam[];
  const called = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const kept = (message.toolCalls ?? []).map(({ id }) => id);
  // The ids are the vendor's: they may be anything.
  const isSame = called.length === kept.length && called.every((id, index) => id === kept[index]);
  return isSame ? blocks.map(toOwnBlock) : undefined;
}

/** Copies a block, since its id may be replaced. */
function toOwnBlock(block: ContentBlockParam): ContentBlockParam {
  return block.type === "tool_use" ? { ...block, name: toLegalName(readText(block.name)) } : { ...block };
}

/** Returns the name of a tool call as the vendor takes it back: models make up names with other characters. */
export function toLegalName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64) || "_";
}

/** Tells if a block of an answer is thinking, readable (`thinking`) or not (`redacted_thinking`). */
export function isThinking({ type }: { type?: unknown }): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Returns a block as it is sent back. Blocks of unknown types are left out. */
export function toReplay(block: WireBlock): ContentBlockParam[] {
  if (block.type === "text") return toTextReplay(block);
  const isKept = block.type === "tool_use" || isThinking(block) || isHosted(block);
  return isKept ? [block as unknown as ContentBlockParam] : [];
}

/** The vendor refuses blank text, and most of its own citations. Those of its search hold a reference that it wants back. */
function toTextReplay(block: WireBlock): ContentBlockParam[] {
  const text = readText(block["text"]);
  if (text.trim() === "") return [];
  const found = readObjects(block["citations"]).filter(({ type }) => type === "web_search_result_location");
  return [{ type: "text", text, ...(found.length > 0 && { citations: found as unknown as TextCitationParam[] }) }];
}
