import { ResponseCollector } from "@troupe/core/adapter";
import type { ModelChunk, ModelResponse } from "@troupe/core/adapter";
import { AnswerReader } from "./answer-reader.ts";
import type { WireAnswer } from "./wire-types.ts";

/** Reads a whole answer, which has the form of one piece of a stream. */
export function fromResponse(text: string, model: { providerId: string; modelId: string }): ModelResponse {
  const reader = new AnswerReader(model);
  const chunks: ModelChunk[] = [];
  reader.read(JSON.parse(text) as WireAnswer, chunks);
  const collector = new ResponseCollector();
  for (const chunk of [...chunks, reader.finish()]) collector.add(chunk);
  return collector.finish();
}
