import type { ModelOptions } from "./model-config.ts";
import type { ModelResponse } from "./model-response.ts";
import type { ModelMessage } from "./vendor-state.ts";
import type { ModelChunk } from "./model-chunk.ts";

/**
 * The interface by which agents and teams call one model of one vendor.
 *
 * A conversation may begin with two system messages: the instructions, and what memory and facts add to them. A vendor that
 * takes one gets both as one text.
 *
 * Both calls reject with a `TroupeError` (a `ModelError` for an error of the vendor), never with a vendor's own error, and no
 * error holds a key. When `options.signal` aborts, the request to the vendor ends and the call rejects as `cancelled`.
 *
 * Parts of the user's last message that the model does not support are refused as `unsupported_media_type`. Those of earlier
 * messages are not, since another model took them: `PartReader` of `@troupe/core/provider` replaces them with words.
 */
export interface ModelProvider {
  /** The name of the vendor, also for its key. */
  readonly providerId: string;
  readonly modelId: string;
  /** The vendors of the models that this one calls, for a model that calls others: it is given the keys of these vendors. */
  readonly providerIds?: readonly string[] | undefined;
  /** Returns the whole answer. */
  generate(messages: readonly ModelMessage[], options?: ModelOptions): Promise<ModelResponse>;
  /**
   * Streams the answer, and ends with exactly one `finish` chunk; a truncated response throws instead. A reader that leaves
   * early ends the request to the vendor.
   */
  stream(messages: readonly ModelMessage[], options?: ModelOptions): AsyncIterable<ModelChunk>;
}
