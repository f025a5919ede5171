import type { ContentBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { vendorStateOf } from "@troupe/core/adapter";
import type { ModelMessage, VendorState } from "@troupe/core/adapter";
import type { WireBlock } from "./wire-types.ts";

type ModelName = { readonly providerId: string; readonly modelId: string };

/**
 * Returns the state that the next request of the run sends back: the whole answer, when it has thinking. The signature is
 * valid only among the blocks that it came with.
 */
export function stateOf(blocks: readonly WireBlock[], model: ModelName): VendorState | undefined {
  if (!blocks.some(isThinking)) return undefined;
  const { providerId, modelId } = model;
  return { providerId, modelId, items: blocks.flatMap(toReplay) };
}

/** Returns the original answer when the message has the state of this model and still the same calls. */
export function replayOf(message: ModelMessage, model: ModelName): ContentBlockParam[] | undefined {
  const state = vendorStateOf(message, model);
  if (state === undefined) return undefined;
  // Copied, since ids may be replaced.
  const blocks = (state.items as ContentBlockParam[]).map((block) => ({ ...block }));
  const called = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const kept = (message.toolCalls ?? []).map(({ id }) => id);
  return called.join("\n") === kept.join("\n") ? blocks : undefined;
}

/** Tells if the block is thinking, readable or redacted. */
export function isThinking({ type }: { type: string }): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function toReplay(block: WireBlock): ContentBlockParam[] {
  switch (block.type) {
    case "text":
      // Only the text: the vendor refuses blank text, and its own citations.
      return block.text.trim() === "" ? [] : [{ type: "text", text: block.text }];
    case "thinking":
    case "redacted_thinking":
    case "tool_use":
      return [block as ContentBlockParam];
    default:
      return [];
  }
}
