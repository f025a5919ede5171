import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import { vendorStateOf, withoutVendorState } from "../../model/vendor-state.ts";
import type { VendorState } from "../../model/vendor-state.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { LoopPlan, ModelCall } from "./loop-plan.ts";

/**
 * Makes a model call. The vendor may reject its stored state, which may be old or made under another key. In that case
 * the call is repeated without stored state. The run collects the rejected states, and the turn that it stores names
 * the models that made them.
 */
export function callWithState(plan: LoopPlan, call: ModelCall): AsyncGenerator<StreamChunk, ModelResponse> {
  const hasState = call.messages.some(({ vendorState }) => vendorState?.stored === true);
  // A call without stored vendor state is made directly, because it is never repeated and a generator around it would
  // slow down each chunk.
  return hasState ? callAndRepeat(plan, call) : plan.call(plan, call);
}

async function* callAndRepeat(plan: LoopPlan, given: ModelCall): AsyncGenerator<StreamChunk, ModelResponse> {
  const { run } = plan;
  const call = without(given, run.refusedStates);
  try {
    return yield* plan.call(plan, call);
  } catch (error) {
    const refused = isRefusal(error) ? sentStates(call) : undefined;
    if (refused === undefined || refused.size === 0) throw error;
    const response = yield* plan.call(plan, without(call, refused));
    run.refusedStates = new Set([...(run.refusedStates ?? []), ...refused]);
    const { providerId: vendor, modelId: model } = call.model;
    run.warn(
      "vendor_state_refused",
      "The vendor refused calls of its own tools in the history. They are left out, in later turns of the session too.",
      { vendor, model },
    );
    return response;
  }
}

/**
 * Returns a response whose text was changed. Its vendor state is marked so that it is not stored with the turn, because
 * the state contains the original text.
 */
export function withoutStoredState(response: ModelResponse): ModelResponse {
  const { vendorState } = response;
  if (vendorState?.stored !== true) return response;
  const { stored: _, ...state } = vendorState;
  return { ...response, vendorState: state };
}

function isRefusal(error: unknown): boolean {
  return readProperty(error, "status") === 400 && TroupeError.is(error) && error.code !== "context_too_long";
}

/**
 * Returns the stored vendor states that a model call may have sent: the model's own states. A model that calls other
 * models may have sent any of the stored states.
 */
function sentStates({ messages, model }: ModelCall): ReadonlySet<VendorState> {
  const states = messages.flatMap((message) => {
    const own = model.providerIds === undefined ? vendorStateOf(message, model) : message.vendorState;
    return own?.stored === true ? [own] : [];
  });
  return new Set(states);
}

function without(call: ModelCall, refused: ReadonlySet<VendorState> | undefined): ModelCall {
  if (refused === undefined) return call;
  const messages = call.messages.map((message) => {
    const { vendorState } = message;
    return vendorState !== undefined && refused.has(vendorState) ? withoutVendorState(message) : message;
  });
  return { ...call, messages };
}
