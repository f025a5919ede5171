import type { ChatMessage } from "../base/message/message.ts";

/**
 * State that a vendor requires in the next model call of the same run: encrypted reasoning, signatures. With `stored`
 * it is stored with the turn and is also sent with later turns. That is used for calls of the vendor's own tools and
 * their results.
 */
export type VendorState = { providerId: string; modelId: string; items: unknown; stored?: true };

/**
 * A message as passed to a model provider: an earlier answer of the same run includes the state that its vendor
 * requires.
 */
export type ModelMessage = ChatMessage & { vendorState?: VendorState };

/**
 * Returns the vendor state of a message if the same model created it, otherwise undefined: one model's state must not
 * be sent to another model.
 */
export function vendorStateOf(
  { vendorState: state }: ModelMessage,
  model: { providerId: string; modelId: string },
): VendorState | undefined {
  return state?.providerId === model.providerId && state.modelId === model.modelId ? state : undefined;
}

/**
 * Returns a message without its vendor state, for readers other than the vendor. A message without state is returned
 * unchanged.
 */
export function withoutVendorState(message: ModelMessage): ChatMessage {
  if (message.vendorState === undefined) return message;
  const { vendorState: _, ...plain } = message;
  return plain;
}
