import type { ContentBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { vendorStateOf } from "@troupe/core/adapter";
import type { ModelMessage, VendorState } from "@troupe/core/adapter";
import type { WireBlock } from "./wire-types.ts";

type ModelName = { readonly providerId: string; readonly modelId: string };

/**
 * What is to come back with the next request of the run: the whole answer as it was, when there is thinking in it. Its
 * signature holds only among the blocks that it came with.
 */
export function stateOf(blocks: readonly WireBlock[], model: ModelName): VendorState | undefined {
  if (!blocks.some(isThinking)) return undefined;
  const { providerId, modelId } = model;
  return { providerId, modelId, items: blocks.flatMap(toReplay) };
}

/** The answer as it was, if this model left it on the message and it still calls the same tools. */
export function replayOf(message: ModelMessage, model: ModelName): ContentBlockParam[] | undefined {
  const state = vendorStateOf(message, model);
  if (state === undefined) return undefined;
  // Copied: an id may be replaced on its way out.
  const blocks = (state.items as ContentBlockParam[]).map((block) => ({ ...block }));
  const called = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const kept = (message.toolCalls ?? []).map(({ id }) => id);
  return called.join("\n") === kept.join("\n") ? blocks : undefined;
}

/** Whether the block is thinking, in words or without. */
export function isThinking({ type }: { type: string }): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function toReplay(block: WireBlock): ContentBlockParam[] {
  switch (block.type) {
    case "text":
      // Sent back alone: the vendor refuses blank words, and the citations of its own words.
      return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }];
    case "thinking":
    case "redacted_thinking":
    case "tool_use":
      return [block as ContentBlockParam];
    default:
      return [];
  }
}
