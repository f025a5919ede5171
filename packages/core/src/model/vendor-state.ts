import type { ChatMessage } from "../base/message/message.ts";

/**
 * State that a vendor wants back with the next model call of the same run: encrypted reasoning, signatures. With `stored`
 * it is kept with the turn, and goes back with later turns too: the calls of the vendor's own tools and their results.
 */
export type VendorState = { providerId: string; modelId: string; items: unknown; stored?: true };

/**
 * A message as it is given to a model provider: an answer from earlier in the same run has the state that its vendor
 * wants back.
 */
export type ModelMessage = ChatMessage & { vendorState?: VendorState };

/**
 * Returns the vendor state on a message if this very model left it there, else undefined: another model's state must
 * not be sent to it.
 */
export function vendorStateOf(
  { vendorState: state }: ModelMessage,
  model: { providerId: string; modelId: string },
): VendorState | undefined {
  return state?.providerId === model.providerId && state.modelId === model.modelId ? state : undefined;
}

/** Returns a message without its vendor state, for readers other than the vendor; one without state as it is. */
export function withoutVendorState(message: ModelMessage): ChatMessage {
  if (message.vendorState === undefined) return message;
  const { vendorState: _, ...plain } = message;
  return plain;
}
