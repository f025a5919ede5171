import type { ToolCallResult } from "../../base/message/tool-call.ts";
import type { ToolResultChunk } from "../../model/model-chunk.ts";
import { copyPlain } from "./copy-plain.ts";

/**
 * Makes the chunk of a tool call's result. Its reader may change it: the result that the run keeps is another object. Of a
 * call that failed it has what clients are told, in place of what the model got.
 */
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
    result: error ?? copyPlain(result),
    ...(error !== undefined && { error }),
    ...(artifacts !== undefined && { artifacts: copyPlain(artifacts) }),
    durationMs,
  };
}
