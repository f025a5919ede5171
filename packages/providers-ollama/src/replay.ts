import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";
import { providerId } from "./options.ts";
import type { WireMessage } from "./wire-types.ts";

/**
 * Returns the `vendorState` of an answer with thinking, which the run's next model call sends back: models continue
 * from it after tool calls. `undefined` without thinking.
 */
export function toVendorState(thinking: string, { modelId }: { modelId: string }): VendorState | undefined {
  return thinking === "" ? undefined : { providerId, modelId, items: { thinking } };
}

/**
 * Returns the `thinking` to send back with an assistant message if this model made it. Otherwise returns an empty
 * object.
 */
export function replayOf(message: ModelMessage, { modelId }: { modelId: string }): Pick<WireMessage, "thinking"> {
  const state = vendorStateOf(message, { providerId, modelId });
  return state === undefined ? {} : (state.items as { thinking: string });
}
