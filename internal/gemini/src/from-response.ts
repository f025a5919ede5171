import { ResponseCollector } from "@troupe/core/adapter";
import type { ModelChunk, ModelResponse } from "@troupe/core/adapter";
import { EventReader } from "./from-events.ts";
import type { WireAnswer } from "./wire-types.ts";

/**
 * Converts the JSON body of an answer that was not streamed to a `ModelResponse`. Throws `VendorError` when the body
 * holds an error, and `TruncatedResponseError` when it has no finish reason.
 */
export function fromResponse(text: string, model: { providerId: string; modelId: string }): ModelResponse {
  const reader = new EventReader(model);
  const chunks: ModelChunk[] = [];
  reader.read(JSON.parse(text) as WireAnswer, chunks);
  const collector = new ResponseCollector();
  for (const chunk of [...chunks, reader.finish()]) collector.add(chunk);
  return collector.finish();
}
