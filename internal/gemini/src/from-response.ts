import { readObject, readObjects } from "@troupe/core/kit";
import { ResponseCollector, TruncatedResponseError } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { GeminiEventReader } from "./from-events.ts";
import type { WireAnswer } from "./wire-types.ts";

/**
 * Converts the JSON of an unstreamed answer to a `ModelResponse`. Throws `VendorError` if it contains an error, and
 * `TruncatedResponseError` if it has no finish reason and the request was not refused.
 */
export function fromResponse(body: unknown, model: { providerId: string; modelId: string }): ModelResponse {
  const answer: WireAnswer = readObject(body);
  const reader = new GeminiEventReader(model);
  const chunks: ModelChunk[] = [];
  reader.read(answer, chunks);
  const isEmpty = readObjects(answer.candidates).length === 0 && answer.promptFeedback === undefined;
  if (isEmpty) throw new TruncatedResponseError("sent an answer without content");
  reader.end(chunks);
  const collector = new ResponseCollector();
  for (const chunk of chunks) collector.add(chunk);
  return collector.finish();
}
