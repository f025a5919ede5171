import type { StreamChunk } from "./stream-chunk.ts";
import type { VendorState } from "./vendor-state.ts";

/** What a provider knows at the end of a stream that a `finish` chunk has no field for. */
export type FinishDetails = { responseId?: string; model?: string; vendorState?: VendorState };

type FinishChunk = Extract<StreamChunk, { type: "finish" }>;

// A symbol key: the chunk's JSON, which clients see, stays what the interface says.
const details = Symbol.for("troupe.finishDetails");

/** Returns the `finish` chunk with the details on it. */
export function withFinishDetails(chunk: FinishChunk, facts: FinishDetails): FinishChunk {
  return Object.assign({ ...chunk }, { [details]: facts });
}

/** The details that a provider put on its `finish` chunk. */
export function finishDetailsOf(chunk: FinishChunk): FinishDetails {
  return (chunk as { [details]?: FinishDetails })[details] ?? {};
}
