import type { ModelFinish, VendorState } from "@troupe/core/adapter";

/** What a vendor may say of its answer. */
type Said = { id: string | null | undefined; model: string | null | undefined; vendorState: VendorState | undefined };

/** What is known of an answer beside what it says: only what the vendor did say. */
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
