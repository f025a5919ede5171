import type { ChatMessage } from "../../base/message/message.ts";
import { withoutVendorState } from "../../model/vendor-state.ts";
import type { AnsweringModel } from "../../model/model-chunk.ts";
import type { ModelMessage, VendorState } from "../../model/vendor-state.ts";
import { isArrayOf } from "../storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";

/** Vendor state in a stored turn, and the index in the turn's `messages` of the answer that it belongs to. */
export type TurnVendorState = { index: number; state: VendorState };

/** The maximum characters of JSON of all vendor state in one turn: pages found by a search are long. */
const maxStateLength = 2_097_152;

/** The vendor state that a run received, by message, and the state that vendors rejected. */
type RunStates = {
  readonly vendorStates: ReadonlyMap<ChatMessage, VendorState> | undefined;
  readonly refusedStates: ReadonlySet<VendorState> | undefined;
};

/**
 * Returns the vendor state that a turn stores: the state of the run's messages that no vendor rejected. State beyond a
 * turn's limit is not stored, and counted in `leftOut`; the vendor then receives only the text of those answers.
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
 * Returns the messages of a turn with its stored vendor state. Any other state in a message is removed, because the
 * messages may come from a caller; only the state stored with the turn certainly comes from a vendor.
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

/** Returns true if a value has the form of the vendor state in a stored turn. Undefined is allowed too. */
export function isTurnVendorStates(value: unknown = []): value is TurnVendorState[] {
  return isArrayOf(value, isTurnVendorState);
}

function isTurnVendorState(value: unknown): value is TurnVendorState {
  return isRecord(value) && Number.isInteger(value["index"]) && isModelName(value["state"]);
}

/** Returns true if a value names a model by its ids. */
export function isModelName(value: unknown): value is AnsweringModel {
  return isRecord(value) && typeof value["providerId"] === "string" && typeof value["modelId"] === "string";
}
