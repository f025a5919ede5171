import type { ModelOptions } from "./model-config.ts";
import type { ModelResponse } from "./model-response.ts";
import type { ModelMessage } from "./vendor-state.ts";
import type { ModelChunk } from "./model-chunk.ts";

/**
 * One model of one vendor.
 *
 * Both calls reject with a `TroupeError` (a `ModelError` when the vendor spoke), never with a vendor's own error, and no
 * error holds a key. When `options.signal` aborts, the vendor's request is ended and the call rejects as `cancelled`.
 *
 * What the user says last is refused as `unsupported_media_type` when the model does not take it. What was said before is
 * not: another model took it, and words stand for it (`PartReader` of the adapter door sees to that).
 */
export interface ModelProvider {
  /** The vendor, and the name its key goes by. */
  readonly providerId: string;
  readonly modelId: string;
  /** Answers once. */
  generate(messages: readonly ModelMessage[], options?: ModelOptions): Promise<ModelResponse>;
  /**
   * Answers piece by piece, and ends with exactly one `finish` chunk; an answer that was cut throws instead. A reader
   * that leaves early ends the vendor's request.
   */
  stream(messages: readonly ModelMessage[], options?: ModelOptions): AsyncIterable<ModelChunk>;
}
