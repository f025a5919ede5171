import { vendorStateOf } from "@troupe/core/adapter";
import type { ModelMessage, VendorState } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";
import type { WireMessage } from "./wire-types.ts";

/** What the model thought, to come back with the next request of the run: models go on from it after a call. */
export function keepThinking(thinking: string, modelId: string): { vendorState?: VendorState } {
  return thinking === "" ? {} : { vendorState: { providerId, modelId, items: { thinking } } };
}

/** What this very model thought before it gave the answer. */
export function keptThinking(message: ModelMessage, modelId: string): Pick<WireMessage, "thinking"> {
  const state = vendorStateOf(message, { providerId, modelId });
  return state === undefined ? {} : (state.items as { thinking: string });
}
