import type { ModelFinish, VendorState } from "@troupe/core/adapter";

/** Details that a vendor may send with its answer. */
type Said = { id: string | null | undefined; model: string | null | undefined; vendorState: VendorState | undefined };

/** Returns the details that the vendor sent. */
export function toFinishDetails({
  id,
  model,
  vendorState,
}: Said): Pick<ModelFinish, "responseId" | "model" | "vendorState"> {
  return {
    ...(id && { responseId: id }),
    ...(model && { model }),
    ...(vendorState && { vendorState }),
  };
}
