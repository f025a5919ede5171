import type { TokenUsage } from "../message/token-usage.ts";
import type { AnswerChunk, FinishReason } from "../model/model-chunk.ts";

/**
 * A chunk of the stream of a run, ended by `finish`. Unlike in a model's stream, `tool_call_end` means that the tool
 * has been executed.
 */
export type StreamChunk = AnswerChunk | { type: "finish"; finishReason: FinishReason; usage?: TokenUsage };
