import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";
import { providerId } from "../options.ts";
import { plainName } from "../plain-text.ts";
import { isHosted } from "./sources.ts";
import type { OutputItem } from "./wire-types.ts";

/** Differs from the key of Chat Completions, so that neither API takes the state of the other. */
type Kept = { outputItems: OutputItem[] };

/**
 * Returns the items of an answer as `vendorState`, which the next model call of the run sends back. Calls of the vendor's
 * own tools go back in later turns too: without them, the model would search again. `undefined` when
 * the vendor would not take them: with reasoning that is not encrypted, or at the end.
 */
export function toVendorState(modelId: string, items: OutputItem[]): VendorState | undefined {
  const kept: Kept = { outputItems: items };
  const stored = items.some(isHosted);
  return isReplayable(items) ? { providerId, modelId, items: kept, ...(stored && { stored }) } : undefined;
}

/**
 * Returns the original items of an assistant message, to send them back, if this model made them and the
 * message still has the same tool calls. Else `undefined`: the message must be converted.
 */
export function replayedItems(message: ModelMessage, modelId: string): OutputItem[] | undefined {
  const items = (vendorStateOf(message, { providerId, modelId })?.items as Partial<Kept> | undefined)?.outputItems;
  if (!Array.isArray(items)) return undefined;
  const called = items.flatMap(({ type, call_id: id }) => (type === "function_call" ? [id] : []));
  const wanted = (message.toolCalls ?? []).map(({ id }) => id);
  const isSame = called.length === wanted.length && called.every((id, index) => id === wanted[index]);
  return isSame ? items.map(withPlainName) : undefined;
}

/** A model may call a tool by a name that its vendor does not take back. */
function withPlainName(item: OutputItem): OutputItem {
  const { type, name } = item;
  if (type !== "function_call" || typeof name !== "string" || name === plainName(name)) return item;
  return { ...item, name: plainName(name) };
}

/** Keeps reasoning only when it is encrypted, since nothing is stored at the vendor, and never as the last item. */
function isReplayable(items: readonly OutputItem[]): boolean {
  const isKnown = items.every(({ type, encrypted_content: content }) => type !== "reasoning" || Boolean(content));
  return items.length > 0 && isKnown && items.at(-1)?.type !== "reasoning";
}
