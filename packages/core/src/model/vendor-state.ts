import type { ChatMessage } from "../message/message.ts";

/** What a vendor wants back with the next call of the same run: encrypted reasoning, signatures. */
export type VendorState = { providerId: string; modelId: string; items: unknown };

/** A message as models are given it: an answer of this run carries what its vendor wants back. */
export type ModelMessage = ChatMessage & { vendorState?: VendorState };

/** Returns the state that this model itself left on the message. Another model's state must not be sent to it. */
export function vendorStateOf(
  { vendorState: state }: ModelMessage,
  model: { providerId: string; modelId: string },
): VendorState | undefined {
  return state?.providerId === model.providerId && state.modelId === model.modelId ? state : undefined;
}
