import type { ModelFinish, VendorState } from "@troupe/core/adapter";

/** Details that a vendor may send with its answer. */
type FinishFacts = {
  id: unknown;
  model: unknown;
  vendorState: VendorState | undefined;
};

/**
 * Returns the fields of a finish chunk that not every server with OpenAI's API sends: response id, model and `vendorState`.
 * Missing ones are left out.
 */
export function toFinishDetails({
  id,
  model,
  vendorState,
}: FinishFacts): Pick<ModelFinish, "responseId" | "model" | "vendorState"> {
  return {
    ...(typeof id === "string" && id !== "" && { responseId: id }),
    ...(typeof model === "string" && model !== "" && { model }),
    ...(vendorState && { vendorState }),
  };
}
