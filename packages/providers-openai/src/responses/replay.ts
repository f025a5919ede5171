import { vendorStateOf } from "@troupe/core/adapter";
import type { ModelMessage, VendorState } from "@troupe/core/adapter";
import { providerId } from "../provider-id.ts";
import type { OutputItem } from "./wire-types.ts";

/** Other than what Chat Completions keep, so that neither interface takes the other's for its own. */
type Kept = { outputItems: OutputItem[] };

/** What the vendor wants back with the next step of the run: its items, as they came. */
export function toVendorState(modelId: string, items: OutputItem[]): VendorState | undefined {
  const kept: Kept = { outputItems: items };
  return isReplayable(items) ? { providerId, modelId, items: kept } : undefined;
}

/** The items of an answer of this run, while they still say what the message says. */
export function itemsToReplay(message: ModelMessage, modelId: string): OutputItem[] | undefined {
  const items = (vendorStateOf(message, { providerId, modelId })?.items as Partial<Kept> | undefined)?.outputItems;
  if (items === undefined) return undefined;
  const called = items.flatMap(({ type, call_id: id }) => (type === "function_call" ? [id] : []));
  const wanted = (message.toolCalls ?? []).map(({ id }) => id);
  const isSame = called.length === wanted.length && called.every((id, index) => id === wanted[index]);
  return isSame ? items : undefined;
}

/** Nothing is stored with the vendor, so reasoning is known only by what is encrypted in it, and never stands last. */
function isReplayable(items: readonly OutputItem[]): boolean {
  const isKnown = items.every(({ type, encrypted_content: content }) => type !== "reasoning" || Boolean(content));
  return items.length > 0 && isKnown && items.at(-1)?.type !== "reasoning";
}
