import type { ModelOptions } from "./model-config.ts";
import type { ModelResponse } from "./model-response.ts";
import type { ModelMessage } from "./vendor-state.ts";
import type { ModelChunk } from "./model-chunk.ts";

/**
 * The interface through which agents and teams call one model of one vendor.
 *
 * A conversation may begin with two system messages: the instructions, and the additions of memory and facts. A vendor
 * that accepts only one receives both as one text.
 *
 * Both calls reject with a `TroupeError` (a `ModelError` for an error of the vendor), never with a vendor's own error,
 * and no error contains a key. If `options.signal` aborts, the request to the vendor ends. The call then rejects as
 * `cancelled`, as `timeout` for a `TimeoutError`, or with a reason that is a `TroupeError`.
 *
 * Unsupported parts of the user's last message are rejected as `unsupported_media_type`. Unsupported parts of earlier
 * messages are not rejected, because another model accepted them: `PartReader` of `@troupe/core/provider` replaces them
 * by a text note.
 */
export interface ModelProvider {
  /** The name of the vendor, which is also the name of its API key. */
  readonly providerId: string;
  readonly modelId: string;
  /**
   * The vendors of the models that this model calls, for a model that calls other models. It receives the API keys of
   * these vendors.
   */
  readonly providerIds?: readonly string[] | undefined;
  /** Calls the model and returns its whole answer. */
  generate(messages: readonly ModelMessage[], options?: ModelOptions): Promise<ModelResponse>;
  /**
   * Streams the answer and ends with exactly one `finish` chunk; a truncated response throws instead. A reader that
   * leaves early ends the request to the vendor.
   */
  stream(messages: readonly ModelMessage[], options?: ModelOptions): AsyncIterable<ModelChunk>;
}
