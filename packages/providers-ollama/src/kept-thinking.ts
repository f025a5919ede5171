import { vendorStateOf } from "@troupe/core/adapter";
import type { ModelMessage, VendorState } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";
import type { WireMessage } from "./wire-types.ts";

/** Keeps the thinking for the next request of the run, from which models go on after a call. */
export function keepThinking(thinking: string, modelId: string): { vendorState?: VendorState } {
  return thinking === "" ? {} : { vendorState: { providerId, modelId, items: { thinking } } };
}

/** Returns the thinking that this model left on the message. */
export function keptThinking(message: ModelMessage, modelId: string): Pick<WireMessage, "thinking"> {
  const state = vendorStateOf(message, { providerId, modelId });
  return state === undefined ? {} : (state.items as { thinking: string });
}
