import { readObject, readObjects, ResponseCollector } from "@troupe/core/adapter";
import type { ModelChunk, ModelResponse } from "@troupe/core/adapter";
import { EventReader } from "./from-events.ts";
import { VendorError } from "./vendor-error.ts";
import type { WireAnswer } from "./wire-types.ts";

/**
 * Converts the JSON body of an answer that was not streamed to a `ModelResponse`. Throws `VendorError` when the body
 * holds an error or no candidate, and `TruncatedResponseError` when it has no finish reason.
 */
export function fromResponse(text: string, model: { providerId: string; modelId: string }): ModelResponse {
  const answer: WireAnswer = readObject(JSON.parse(text));
  const reader = new EventReader(model);
  const chunks: ModelChunk[] = [];
  reader.read(answer, chunks);
  const isEmpty = readObjects(answer.candidates).length === 0 && answer.promptFeedback === undefined;
  if (isEmpty) throw new VendorError({ code: 502, message: "The answer holds no candidate." });
  const collector = new ResponseCollector();
  for (const chunk of [...chunks, reader.finish()]) collector.add(chunk);
  return collector.finish();
}
