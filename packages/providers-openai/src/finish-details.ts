import type { ModelFinish, VendorState } from "@troupe/core/provider";

/** Facts that a vendor may send with its answer. */
type FinishFacts = {
  id: unknown;
  model: unknown;
  vendorState: VendorState | undefined;
  /** The number of tool calls without a name. */
  skippedCalls: number;
};

/**
 * Returns the fields of a finish chunk that not every compatible server sends: response id, model, `vendorState` and
 * the number of skipped calls. Missing fields are omitted.
 */
export function toFinishDetails({
  id,
  model,
  vendorState,
  skippedCalls,
}: FinishFacts): Pick<ModelFinish, "responseId" | "model" | "vendorState" | "skippedCalls"> {
  return {
    ...(typeof id === "string" && id !== "" && { responseId: id }),
    ...(typeof model === "string" && model !== "" && { model }),
    ...(vendorState && { vendorState }),
    ...(skippedCalls > 0 && { skippedCalls }),
  };
}
