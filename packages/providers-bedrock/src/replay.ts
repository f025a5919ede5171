import { readObject, readText } from "@troupe/core/kit";
import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";
import type { WireBlock, WireReasoning, WireToolUse } from "./wire-types.ts";

type ModelName = { readonly providerId: string; readonly modelId: string };

/** A block of an answer in the form in which it is sent back. */
export type ReplayBlock = { text: string } | WireToolUse | WireReasoning;

/**
 * Returns the `vendorState` of an answer with signed or encrypted reasoning, which the run's next model call sends
 * back. It has all blocks, because a signature is valid only among its original blocks. Otherwise returns `undefined`.
 */
export function toVendorState(
  blocks: readonly ReplayBlock[],
  { providerId, modelId }: ModelName,
): VendorState | undefined {
  if (!blocks.some((block) => "reasoningContent" in block)) return undefined;
  const items = blocks.filter((block) => !("text" in block) || block.text.trim() !== "");
  return { providerId, modelId, items };
}

/** Returns reasoning to send back, or an empty array without a signature: the vendor would refuse it. */
export function toReasoning(text: string, signature: unknown, redacted: unknown): WireReasoning[] {
  const [signed, hidden] = [readText(signature), readText(redacted)];
  if (hidden !== "") return [{ reasoningContent: { redactedContent: hidden } }];
  return signed === "" ? [] : [{ reasoningContent: { reasoningText: { text, signature: signed } } }];
}

/**
 * Returns the original blocks of an assistant message to send back, if this model made them and the message still has
 * the same tool calls. Otherwise returns `undefined`: the message must be converted.
 */
export function replayOf(message: ModelMessage, model: ModelName): WireBlock[] | undefined {
  const state = vendorStateOf(message, model);
  if (state === undefined || !Array.isArray(state.items)) return undefined;
  const blocks = state.items as ReplayBlock[];
  const called = blocks.flatMap((block) => ("toolUse" in block ? [block.toolUse.toolUseId] : []));
  const kept = (message.toolCalls ?? []).map(({ id }) => id);
  const isSame = called.length === kept.length && called.every((id, index) => id === kept[index]);
  return isSame ? blocks.map(toOwnBlock) : undefined;
}

/** Copies a call, because its id may be replaced. Gives it a name and an input that the vendor accepts. */
function toOwnBlock(block: ReplayBlock): WireBlock {
  if (!("toolUse" in block)) return block;
  const { toolUse } = block;
  return { toolUse: { ...toolUse, name: toLegalName(toolUse.name), input: readObject(toolUse.input) } };
}

/** Returns the name of a tool call with only characters that the vendor accepts: models invent names with others. */
export function toLegalName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64) || "_";
}
