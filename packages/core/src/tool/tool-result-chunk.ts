import type { ToolCallResult } from "../message/tool-call.ts";
import type { ToolResultChunk } from "../model/model-chunk.ts";
import { copyPlain } from "./copy-plain.ts";

/** Makes the chunk of a tool call's result. Its reader may change it: the result that the run keeps is another object. */
export function toolResultChunk({
  toolCallId,
  toolName,
  result,
  error,
  artifacts,
  durationMs,
}: ToolCallResult): ToolResultChunk {
  return {
    type: "tool_result",
    toolCallId,
    toolName,
    result: copyPlain(result),
    ...(error !== undefined && { error }),
    ...(artifacts !== undefined && { artifacts: copyPlain(artifacts) }),
    durationMs,
  };
}
