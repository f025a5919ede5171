import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";
import { providerId } from "./options.ts";
import type { WireMessage } from "./wire-types.ts";

/**
 * Returns the `vendorState` of an answer with thinking, which the next model call of the run sends back: after tool
 * calls, models go on from it. `undefined` without thinking.
 */
export function toVendorState(thinking: string, { modelId }: { modelId: string }): VendorState | undefined {
  return thinking === "" ? undefined : { providerId, modelId, items: { thinking } };
}

/** Returns the `thinking` with which an assistant message is sent back, if this model made it. Else an empty object. */
export function replayOf(message: ModelMessage, { modelId }: { modelId: string }): Pick<WireMessage, "thinking"> {
  const state = vendorStateOf(message, { providerId, modelId });
  return state === undefined ? {} : (state.items as { thinking: string });
}
