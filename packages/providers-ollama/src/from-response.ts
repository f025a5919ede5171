import { ResponseCollector } from "@troupe/core/provider";
import type { ModelResponse } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { OllamaEventReader } from "./from-events.ts";
import type { WireLine } from "./wire-types.ts";

/**
 * Converts the JSON of an answer that arrived in one piece, in the form of a last line, to a `ModelResponse`. Throws
 * `OllamaError` if it contains an error, and `TruncatedResponseError` if it has no end.
 */
export function fromResponse(body: unknown, model: { modelId: string }): ModelResponse {
  const reader = new OllamaEventReader(model);
  const chunks: ModelChunk[] = [];
  reader.read(body as WireLine, chunks);
  if (!reader.isComplete) reader.end();
  const collector = new ResponseCollector();
  for (const chunk of chunks) collector.add(chunk);
  return collector.finish();
}
