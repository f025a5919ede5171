import type { FinishReason, StreamChunk } from "@troupe/core";
import { schemaRef } from "../open-api-spec.ts";
import type { Schema } from "../open-api-spec.ts";
import { objectOf, stringEnum, string, unionByType } from "./schema-builders.ts";

type Chunk<Type extends StreamChunk["type"]> = Extract<StreamChunk, { type: Type }>;

const finishReasons = [
  "stop",
  "length",
  "tool_calls",
  "content_filter",
  "tool_roundtrips",
  "error",
  "other",
] as const satisfies FinishReason[];

const chunks = {
  text: "TextChunk",
  thinking: "ThinkingChunk",
  tool_call_start: "ToolCallStartChunk",
  tool_call_delta: "ToolCallDeltaChunk",
  tool_call_end: "ToolCallEndChunk",
  finish: "FinishChunk",
} satisfies Record<StreamChunk["type"], string>;

/** Returns the OpenAPI schemas of the events in the stream of an agent's or team's run, by component name. */
export function streamSchemas(): Record<string, Schema> {
  return {
    StreamChunk: unionByType(chunks, "A piece of an answer."),
    StreamEvent: unionByType({ ...chunks, error: "ErrorEvent" }, "The data of an event of a streamed run."),
    TextChunk: objectOf<Chunk<"text">>({
      required: { type: stringEnum("text"), text: string },
      optional: {},
      example: { type: "text", text: "Take an " },
    }),
    ThinkingChunk: objectOf<Chunk<"thinking">>({
      required: { type: stringEnum("thinking"), text: string },
      optional: {},
      example: { type: "thinking", text: "It rains in Oslo." },
    }),
    ...toolCallSchemas(),
    FinishChunk: objectOf<Chunk<"finish">>({
      required: { type: stringEnum("finish"), finishReason: stringEnum(...finishReasons) },
      optional: { usage: schemaRef("TokenUsage") },
      example: { type: "finish", finishReason: "stop" },
      description: "The last event of a stream whose run completed.",
    }),
    ErrorEvent: objectOf<{ type: "error"; error: object }>({
      required: { type: stringEnum("error"), error: schemaRef("PublicError") },
      optional: {},
      example: { type: "error", error: { code: "timeout", message: "The run took too long." } },
      description: "The last event of a stream that fails once it has begun. No `finish` follows.",
    }),
  };
}

function toolCallSchemas(): Record<string, Schema> {
  return {
    ToolCallStartChunk: objectOf<Chunk<"tool_call_start">>({
      required: {
        type: stringEnum("tool_call_start"),
        toolCall: { type: "object", properties: { id: string, name: string }, required: ["id", "name"] },
      },
      optional: {},
      example: { type: "tool_call_start", toolCall: { id: "call_1", name: "weather" } },
    }),
    ToolCallDeltaChunk: objectOf<Chunk<"tool_call_delta">>({
      required: { type: stringEnum("tool_call_delta"), toolCallId: string, argumentsDelta: string },
      optional: {},
      example: { type: "tool_call_delta", toolCallId: "call_1", argumentsDelta: '{"city":' },
      description: "A piece of the arguments of a call. Joined, the pieces are JSON.",
    }),
    ToolCallEndChunk: objectOf<Chunk<"tool_call_end">>({
      required: { type: stringEnum("tool_call_end"), toolCallId: string },
      optional: {},
      example: { type: "tool_call_end", toolCallId: "call_1" },
      description: "The tool has been executed.",
    }),
  };
}
