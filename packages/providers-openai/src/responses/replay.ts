import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";
import type { ModelIdentity } from "../model-call.ts";
import { plainName } from "../plain-text.ts";
import { isHosted } from "./sources.ts";
import type { OutputItem } from "./wire-types.ts";

/**
 * The vendor state of the Responses API. Its key differs from the key of Chat Completions, so that neither API reads
 * the other's state.
 */
type Kept = { outputItems: OutputItem[] };

/**
 * Returns the items of an answer as `vendorState`, which the run's next model call sends back. Calls of the vendor's
 * own tools are also sent in later turns, because the model would otherwise search again. Returns `undefined` if there
 * are no items, or if the vendor would refuse them, because reasoning is unencrypted or is the last item.
 */
export function toVendorState({ providerId, modelId }: ModelIdentity, items: OutputItem[]): VendorState | undefined {
  const kept: Kept = { outputItems: items };
  const stored = items.some(isHosted);
  return isReplayable(items) ? { providerId, modelId, items: kept, ...(stored && { stored }) } : undefined;
}

/**
 * Returns the original items of an assistant message to send back, if this model made them and the message still has
 * the same tool calls. Otherwise returns `undefined`: the message must be converted.
 */
export function replayedItems(message: ModelMessage, { providerId, modelId }: ModelIdentity): OutputItem[] | undefined {
  const items = (vendorStateOf(message, { providerId, modelId })?.items as Partial<Kept> | undefined)?.outputItems;
  if (!Array.isArray(items)) return undefined;
  const called = items.flatMap(({ type, call_id: id }) => (type === "function_call" ? [id] : []));
  const wanted = (message.toolCalls ?? []).map(({ id }) => id);
  const isSame = called.length === wanted.length && called.every((id, index) => id === wanted[index]);
  return isSame ? items.map(withPlainName) : undefined;
}

/** Replaces the tool name of an item if the vendor would refuse it: a model may call a tool by an invalid name. */
function withPlainName(item: OutputItem): OutputItem {
  const { type, name } = item;
  if (type !== "function_call" || typeof name !== "string" || name === plainName(name)) return item;
  return { ...item, name: plainName(name) };
}

/**
 * Returns true if the items can be sent back. Reasoning must be encrypted, because the vendor stores nothing, and must
 * not be the last item.
 */
function isReplayable(items: readonly OutputItem[]): boolean {
  const isKnown = items.every(({ type, encrypted_content: content }) => type !== "reasoning" || Boolean(content));
  return items.length > 0 && isKnown && items.at(-1)?.type !== "reasoning";
}
