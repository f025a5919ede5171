import type { ChatMessage } from "../message/message.ts";

/** What a vendor wants back with the next call of the same run: encrypted reasoning, signatures. */
export type VendorState = { providerId: string; modelId: string; items: unknown };

// A symbol key: JSON drops it, so that no vendor's state reaches a stored session or a client's bytes.
const vendorState = Symbol.for("troupe.vendorState");

/** Returns the message with the vendor's state on it. */
export function withVendorState(message: ChatMessage, state: VendorState | undefined): ChatMessage {
  return state === undefined ? message : Object.assign({ ...message }, { [vendorState]: state });
}

/** The state that this very model left on the message; another model's state is none of its business. */
export function vendorStateOf(
  message: ChatMessage,
  model: { providerId: string; modelId: string },
): VendorState | undefined {
  const state = (message as { [vendorState]?: VendorState })[vendorState];
  return state?.providerId === model.providerId && state.modelId === model.modelId ? state : undefined;
}
