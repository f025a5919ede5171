import type { ContentBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { readText, vendorStateOf } from "@troupe/core/adapter";
import type { ModelMessage, VendorState } from "@troupe/core/adapter";
import type { WireBlock } from "./wire-types.ts";

type ModelName = { readonly providerId: string; readonly modelId: string };

/**
 * Returns the `vendorState` of an answer with thinking, which the next model call of the run sends back: all blocks,
 * since a signature is valid only among the blocks that it came with. Without thinking, `undefined`.
 */
export function toVendorState(blocks: readonly WireBlock[], model: ModelName): VendorState | undefined {
  if (!blocks.some(isThinking)) return undefined;
  const { providerId, modelId } = model;
  return { providerId, modelId, items: blocks.flatMap(toReplay) };
}

/**
 * Returns the original blocks of an assistant message, to send them back unchanged, if this model made them and the
 * message still has the same tool calls. Else `undefined`: the message must be converted.
 */
export function replayOf(message: ModelMessage, model: ModelName): ContentBlockParam[] | undefined {
  const state = vendorStateOf(message, model);
  if (state === undefined) return undefined;
  // Copied, since ids may be replaced.
  const blocks = (state.items as ContentBlockParam[]).map((block) => ({ ...block }));
  const called = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
  const kept = (message.toolCalls ?? []).map(({ id }) => id);
  return called.join("\n") === kept.join("\n") ? blocks : undefined;
}

/** Tells if a block of an answer is thinking, readable (`thinking`) or not (`redacted_thinking`). */
export function isThinking({ type }: { type?: unknown }): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function toReplay(block: WireBlock): ContentBlockParam[] {
  switch (block.type) {
    case "text": {
      // Only the text: the vendor refuses blank text, and its own citations.
      const text = readText(block["text"]);
      return text.trim() === "" ? [] : [{ type: "text", text }];
    }
    case "thinking":
    case "redacted_thinking":
    case "tool_use":
      return [block as unknown as ContentBlockParam];
    default:
      return [];
  }
}
