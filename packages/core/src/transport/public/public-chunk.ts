import { toPublicSource } from "../../base/message/source.ts";
import type { StreamChunk, TextChunk } from "../../agents/run/stream-chunk.ts";
import type { WorkflowChunk, WorkflowResult } from "../../agents/workflow/workflow-result.ts";

/**
 * Copies the declared fields of a chunk, so that fields added by a model or runnable are not sent to clients. Returns
 * undefined if the chunk's type is unknown.
 */
export function toPublicChunk(chunk: StreamChunk): StreamChunk | undefined {
  const { type } = chunk;
  switch (type) {
    case "text":
    case "thinking":
      return toPublicText(chunk);
    case "source":
      return { type, ...toPublicSource(chunk) };
    case "tool_call_start":
      return { type, toolCall: { id: chunk.toolCall.id, name: chunk.toolCall.name } };
    case "tool_call_delta":
      return { type, toolCallId: chunk.toolCallId, argumentsDelta: chunk.argumentsDelta };
    case "tool_call_end":
      return { type, toolCallId: chunk.toolCallId };
    case "tool_progress":
      return { type, toolCallId: chunk.toolCallId, toolName: chunk.toolName, progress: chunk.progress };
    case "tool_result":
      return toPublicToolResult(chunk);
    case "finish":
      return toPublicFinish(chunk);
    default:
      return undefined;
  }
}

function toPublicText({ type, text, member, speaker, delegationId }: TextChunk): StreamChunk {
  return {
    type,
    text,
    ...(member !== undefined && { member }),
    ...(speaker !== undefined && { speaker }),
    ...(delegationId !== undefined && { delegationId }),
  };
}

function toPublicFinish({ type, finishReason, usage, stored }: Extract<StreamChunk, { type: "finish" }>): StreamChunk {
  return { type, finishReason, ...(usage !== undefined && { usage }), ...(stored === false && { stored }) };
}

function toPublicToolResult(chunk: Extract<StreamChunk, { type: "tool_result" }>): StreamChunk {
  const { type, toolCallId, toolName, result, error, artifacts, durationMs } = chunk;
  return {
    type,
    toolCallId,
    toolName,
    result: error ?? result,
    ...(error !== undefined && { error }),
    ...(artifacts !== undefined && { artifacts }),
    durationMs,
  };
}

/**
 * Returns the public form of an event of a workflow's stream: chunks and the result with their declared fields only.
 * Returns undefined if it contains a chunk of unknown type.
 */
export function toPublicWorkflowChunk(event: WorkflowChunk<object>): object | undefined {
  if (event.type === "finish") return { type: event.type, result: toPublicResult(event.result) };
  if (event.type !== "chunk") return event;
  const chunk = toPublicChunk(event.chunk);
  return chunk && { ...event, chunk };
}

/** Copies the declared fields of a workflow's result, so that no other fields are sent to clients. */
export function toPublicResult(result: WorkflowResult<object>): WorkflowResult<object> {
  const { runId, status, state, steps, usage, durationMs, stored } = result;
  return { runId, status, state, steps, usage, durationMs, ...(stored === false && { stored }) };
}
