import type { TokenUsage } from "../message/token-usage.ts";
import type { AnswerChunk, FinishReason } from "../model/model-chunk.ts";

/** A chunk of a run's stream. A tool call ends here when the tool has been executed. */
export type StreamChunk = AnswerChunk | { type: "finish"; finishReason: FinishReason; usage?: TokenUsage };
