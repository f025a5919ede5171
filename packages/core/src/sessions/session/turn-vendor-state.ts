import type { ChatMessage } from "../../base/message/message.ts";
import { withoutVendorState } from "../../model/vendor-state.ts";
import type { AnsweringModel } from "../../model/model-chunk.ts";
import type { ModelMessage, VendorState } from "../../model/vendor-state.ts";
import { isArrayOf } from "../storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";

/** State of a vendor in a stored turn, and the index in the turn's `messages` of the answer that it belongs to. */
export type TurnVendorState = { index: number; state: VendorState };

/** The characters of JSON that the vendors' state of one turn may have: pages that a search found are long. */
const maxStateLength = 2_097_152;

/** The state of vendors that a run got, by its message, and that which they refused. */
type RunStates = {
  readonly vendorStates: ReadonlyMap<ChatMessage, VendorState> | undefined;
  readonly refusedStates: ReadonlySet<VendorState> | undefined;
};

/**
 * Returns what a turn stores of its vendors' state: that of the messages for which the run has one that no vendor refused.
 * Nothing when it is larger than a turn may be, and `leftOut` counts it: the vendor gets the text of those answers alone.
 */
export function toTurnVendorStates(
  messages: readonly ChatMessage[],
  { vendorStates: states, refusedStates }: RunStates,
): { kept: TurnVendorState[]; leftOut: number } {
  if (states === undefined) return { kept: [], leftOut: 0 };
  const all = messages.flatMap((message, index): TurnVendorState[] => {
    const state = states.get(message);
    return state === undefined || refusedStates?.has(state) === true ? [] : [{ index, state }];
  });
  const fits = JSON.stringify(all).length <= maxStateLength;
  return fits ? { kept: all, leftOut: 0 } : { kept: [], leftOut: all.length };
}

/**
 * Returns the messages of a turn with the state that their vendors want back, and without any other that a message may
 * hold: a message comes from a caller, a turn's own state from a vendor.
 */
export function withTurnVendorStates(
  messages: readonly ChatMessage[],
  states: readonly TurnVendorState[] | undefined = [],
): ModelMessage[] {
  const plain: ModelMessage[] = messages.map(withoutVendorState);
  for (const { index, state } of states) {
    const message = plain[index];
    if (message?.role === "assistant") plain[index] = { ...message, vendorState: { ...state, stored: true } };
  }
  return plain;
}

/** Tells if a value has the form of the vendors' state in a stored turn, which may be absent. */
export function isTurnVendorStates(value: unknown = []): value is TurnVendorState[] {
  return isArrayOf(value, isTurnVendorState);
}

function isTurnVendorState(value: unknown): value is TurnVendorState {
  return isRecord(value) && Number.isInteger(value["index"]) && isModelName(value["state"]);
}

/** Tells if a value names a model by its ids. */
export function isModelName(value: unknown): value is AnsweringModel {
  return isRecord(value) && typeof value["providerId"] === "string" && typeof value["modelId"] === "string";
}
