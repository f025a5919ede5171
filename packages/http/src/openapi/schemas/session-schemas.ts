import type { SessionInfo, SessionPage, ToolCall, TurnToolResult } from "@troupe/core";
import type { PartReference, PublicMessage, PublicTurn } from "../../sessions/public-turn.ts";
import { schemaRef } from "../open-api-spec.ts";
import type { OpenApiSchema } from "../open-api-spec.ts";
import {
  anyObjectSchema,
  countSchema,
  arraySchema,
  closedObjectSchema,
  timestampSchema,
  objectSchema,
  enumSchema,
  stringSchema,
} from "./schema-builders.ts";

type TurnList = { turns: PublicTurn[]; next?: number };

const session: SessionInfo = { sessionId: "trip", userId: "ada", createdAt: 1.8e12, updatedAt: 1.8e12, turns: 1 };
const turn: PublicTurn = {
  seq: 1,
  runId: "0f8fad5b-d9cb-469f-a165-70867728950e",
  runnable: "helper",
  status: "completed",
  createdAt: 1.8e12,
  input: "What should I take along to Oslo?",
  messages: [{ role: "assistant", content: "Take an umbrella." }],
  usage: { promptTokens: 12, completionTokens: 4, totalTokens: 16 },
};
const next = "The `after` of the next page. Missing on the last page.";

/**
 * Characters that a title must not contain: control characters, line breaks, and marks that change the direction of
 * text.
 */
const unprintable = "\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069";

const title: OpenApiSchema = {
  type: "string",
  pattern: `^\\s*[^\\s${unprintable}](?:[^${unprintable}]{0,198}[^\\s${unprintable}])?\\s*$`,
  description: "One line, without control characters.",
};

/** Returns the OpenAPI schemas of sessions, their turns and messages, by component name. */
export function sessionSchemas(): Record<string, OpenApiSchema> {
  return {
    Session: objectSchema<SessionInfo>({
      required: { sessionId: stringSchema, createdAt: timestampSchema, updatedAt: timestampSchema, turns: countSchema },
      optional: { userId: stringSchema, title: stringSchema },
      example: session,
    }),
    SessionChange: closedObjectSchema<{ title: string }>({
      required: { title },
      optional: {},
      example: { title: "A week in Oslo" },
    }),
    SessionList: objectSchema<SessionPage>({
      required: { sessions: arraySchema(schemaRef("Session")) },
      optional: { next: { type: "string", description: next } },
      example: { sessions: [session] },
    }),
    Turn: objectSchema<PublicTurn>({
      required: {
        seq: countSchema,
        runId: stringSchema,
        runnable: stringSchema,
        status: enumSchema("completed", "interrupted"),
        createdAt: timestampSchema,
        input: contentOr(),
        messages: arraySchema(schemaRef("ChatMessage")),
        usage: schemaRef("TokenUsage"),
      },
      optional: {
        history: arraySchema(schemaRef("ChatMessage")),
        toolResults: arraySchema(schemaRef("TurnToolResult")),
        sources: arraySchema(schemaRef("Source")),
      },
      example: turn,
    }),
    TurnToolResult: objectSchema<TurnToolResult>({
      required: { toolCallId: stringSchema, toolName: stringSchema },
      optional: { error: stringSchema, artifacts: arraySchema(schemaRef("Artifact")), leftOut: countSchema },
      example: { toolCallId: "call_1", toolName: "weather", artifacts: [{ type: "chart", data: { points: [1, 2] } }] },
      description:
        "The error and the artifacts of a tool call. A call that has neither has no entry; `leftOut` counts artifacts that were too large to be stored.",
    }),
    TurnList: objectSchema<TurnList>({
      required: { turns: arraySchema(schemaRef("Turn")) },
      optional: { next: { type: "integer", description: next } },
      example: { turns: [turn] },
    }),
    ...messageSchemas(),
  };
}

function messageSchemas(): Record<string, OpenApiSchema> {
  return {
    ChatMessage: objectSchema<PublicMessage>({
      required: { role: enumSchema("system", "user", "assistant", "tool"), content: contentOr({ nullable: true }) },
      optional: { toolCalls: arraySchema(schemaRef("ToolCall")), toolCallId: stringSchema, name: stringSchema },
      example: { role: "assistant", content: "Take an umbrella." },
    }),
    PartReference: partReference(),
    ToolCall: objectSchema<ToolCall>({
      required: { id: stringSchema, name: stringSchema, arguments: anyObjectSchema },
      optional: {},
      example: { id: "call_1", name: "weather", arguments: { city: "Oslo" } },
    }),
  };
}

function contentOr(more: { nullable?: true } = {}): OpenApiSchema {
  const part = { anyOf: [schemaRef("ContentPart"), schemaRef("PartReference")] };
  return { anyOf: [{ type: "string", ...more }, arraySchema(part)] };
}

function partReference(): OpenApiSchema {
  const index = {
    ...countSchema,
    description: "The number of the part among the images, sounds and files of the turn.",
  };
  return {
    ...objectSchema<PartReference>({
      required: {
        type: enumSchema("image", "audio", "file"),
        stored: objectSchema<PartReference["stored"]>({
          required: { index, bytes: { ...countSchema, description: "The number of its bytes." } },
          optional: {},
          example: { index: 0, bytes: 48_213 },
        }),
      },
      optional: { mimeType: stringSchema, filename: stringSchema },
      example: { type: "file", mimeType: "application/pdf", filename: "plan.pdf", stored: { index: 0, bytes: 48_213 } },
      description: "An image, a sound or a file without its data, which `read_part` sends.",
    }),
    additionalProperties: false,
  };
}
