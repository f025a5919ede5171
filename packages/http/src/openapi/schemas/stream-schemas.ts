import type { StreamChunk } from "@troupe/core";
import { schemaRef } from "../open-api-spec.ts";
import type { OpenApiSchema } from "../open-api-spec.ts";
import { sourceFields, toolResultSchema } from "./run-schemas.ts";
import {
  anythingSchema,
  arraySchema,
  durationSchema,
  objectSchema,
  enumSchema,
  finishReasons,
  stringSchema,
  unionSchema,
  storedSchema,
  withJournalStep,
} from "./schema-builders.ts";

type Chunk<Type extends StreamChunk["type"]> = Extract<StreamChunk, { type: Type }>;

const chunks = {
  text: "TextChunk",
  thinking: "ThinkingChunk",
  source: "SourceChunk",
  tool_call_start: "ToolCallStartChunk",
  tool_call_delta: "ToolCallDeltaChunk",
  tool_progress: "ToolProgressChunk",
  tool_result: "ToolResultChunk",
  tool_call_end: "ToolCallEndChunk",
  finish: "FinishChunk",
} satisfies Record<StreamChunk["type"], string>;

/** Returns the OpenAPI schemas of the events in the stream of an agent's or team's run, by component name. */
export function streamSchemas(): Record<string, OpenApiSchema> {
  return {
    StreamChunk: unionSchema(chunks, "A piece of an answer."),
    StreamEvent: unionSchema(
      { ...chunks, wait: "WaitEvent", error: "ErrorEvent" },
      "The data of an event of a streamed run.",
    ),
    ...withJournalStep(chunkSchemas()),
    ErrorEvent: objectSchema<{ type: "error"; error: object }>({
      required: { type: enumSchema("error"), error: schemaRef("RunFailure") },
      optional: {},
      example: { type: "error", error: { code: "timeout", message: "The run took too long." } },
      description: "The last event of a stream that fails once it has begun. No `finish` follows.",
    }),
  };
}

/** The fields that name the member of a team that wrote a text. */
const spokenBy = { member: stringSchema, speaker: stringSchema, delegationId: stringSchema };

function chunkSchemas(): Record<string, OpenApiSchema> {
  return {
    TextChunk: objectSchema<Chunk<"text">>({
      required: { type: enumSchema("text"), text: stringSchema },
      optional: spokenBy,
      example: { type: "text", text: "Take an " },
      description: "A piece of the answer; with `member`, a piece of what a member of a team says beside it.",
    }),
    ThinkingChunk: objectSchema<Chunk<"thinking">>({
      required: { type: enumSchema("thinking"), text: stringSchema },
      optional: spokenBy,
      example: { type: "thinking", text: "It rains in Oslo." },
    }),
    SourceChunk: objectSchema<Chunk<"source">>({
      required: { type: enumSchema("source"), id: stringSchema },
      optional: sourceFields,
      example: { type: "source", id: "source_1", url: "https://example.com/oslo", title: "The weather in Oslo" },
      description: "A page or a document that the answer is based on. Each comes once in a run.",
    }),
    ...toolCallSchemas(),
    FinishChunk: objectSchema<Chunk<"finish">>({
      required: { type: enumSchema("finish"), finishReason: enumSchema(...finishReasons) },
      optional: { usage: schemaRef("TokenUsage"), stored: storedSchema },
      example: { type: "finish", finishReason: "stop" },
      description: "The last event of a stream whose run completed.",
    }),
  };
}

function toolCallSchemas(): Record<string, OpenApiSchema> {
  return {
    ToolCallStartChunk: objectSchema<Chunk<"tool_call_start">>({
      required: {
        type: enumSchema("tool_call_start"),
        toolCall: { type: "object", properties: { id: stringSchema, name: stringSchema }, required: ["id", "name"] },
      },
      optional: {},
      example: { type: "tool_call_start", toolCall: { id: "call_1", name: "weather" } },
    }),
    ToolCallDeltaChunk: objectSchema<Chunk<"tool_call_delta">>({
      required: { type: enumSchema("tool_call_delta"), toolCallId: stringSchema, argumentsDelta: stringSchema },
      optional: {},
      example: { type: "tool_call_delta", toolCallId: "call_1", argumentsDelta: '{"city":' },
      description: "A piece of the arguments of a call. Joined, the pieces are JSON.",
    }),
    ToolProgressChunk: objectSchema<Chunk<"tool_progress">>({
      required: {
        type: enumSchema("tool_progress"),
        toolCallId: stringSchema,
        toolName: stringSchema,
        progress: anythingSchema,
      },
      optional: {},
      example: { type: "tool_progress", toolCallId: "call_1", toolName: "weather", progress: { percent: 40 } },
      description: "What a tool reports while it works. A slow reader gets the newest report of each call alone.",
    }),
    ToolResultChunk: objectSchema<Chunk<"tool_result">>({
      required: {
        type: enumSchema("tool_result"),
        toolCallId: stringSchema,
        toolName: stringSchema,
        result: toolResultSchema(),
        durationMs: durationSchema,
      },
      optional: { error: stringSchema, artifacts: arraySchema(schemaRef("Artifact")) },
      example: { type: "tool_result", toolCallId: "call_1", toolName: "weather", result: "Rain.", durationMs: 41 },
      description: "What the tool answered; `error` is there when it failed. It comes before `tool_call_end`.",
    }),
    ToolCallEndChunk: objectSchema<Chunk<"tool_call_end">>({
      required: { type: enumSchema("tool_call_end"), toolCallId: stringSchema },
      optional: {},
      example: { type: "tool_call_end", toolCallId: "call_1" },
      description: "The tool has been executed.",
    }),
  };
}
