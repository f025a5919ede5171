import type { ToolCallResult } from "../../base/message/tool-call.ts";
import type { ToolResultChunk } from "../../model/model-chunk.ts";
import { copyPlain } from "./copy-plain.ts";

/**
 * Makes the chunk of a tool call's result. It is a copy, so its reader may change it. For a failed call it contains the
 * public text instead of the model's text.
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
