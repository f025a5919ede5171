import type {
  Artifact,
  AudioPart,
  FilePart,
  ImagePart,
  RunMetrics,
  TextPart,
  TokenUsage,
  ToolCallResult,
} from "@troupe/core";
import type { PublicOutput } from "@troupe/core/adapter";
import { schemaRef } from "../open-api-spec.ts";
import type { Schema } from "../open-api-spec.ts";
import {
  anyObject,
  closedObjectOf,
  count,
  durationMs,
  arrayOf,
  timestamp,
  objectOf,
  stringEnum,
  string,
  unionByType,
} from "./schema-builders.ts";

type RunRequest = { input: unknown; sessionId?: string; userId?: string; apiKey?: string };

/** The schemas of the fields that may stand beside `input` in the body of a run: `sessionId`, `userId` and `apiKey`. */
export const runFields = {
  sessionId: {
    type: "string",
    pattern: "^[\\w.:@-]{1,128}$",
    description: "The session to continue. Without one, a new session begins.",
  },
  userId: {
    type: "string",
    minLength: 1,
    description:
      "The user. For a client who is signed in, that user or nothing. Otherwise the user is unverified, unless the " +
      "service trusts its clients: sessions, memory and facts are apart from those of the user who signs in by that name.",
  },
  apiKey: {
    type: "string",
    pattern: "^[!-~]{1,512}$",
    description: "A key for the vendor of the agent, if no header carries one.",
  },
};

const examples = {
  usage: { promptTokens: 12, completionTokens: 4, totalTokens: 16 },
  call: { toolCallId: "call_1", toolName: "weather", args: { city: "Oslo" }, result: "Rain.", durationMs: 41 },
};

/**
 * Returns the OpenAPI schemas of a run of an agent or a team, by component name: its request with content parts, and
 * its output.
 */
export function runSchemas(): Record<string, Schema> {
  return {
    RunRequest: closedObjectOf<RunRequest>({
      required: { input: messageInput() },
      optional: runFields,
      example: { input: "What should I take along to Oslo?" },
    }),
    RunOutput: outputSchema({
      nullable: true,
      description: "The structured output of an agent that has one, else null.",
    }),
    ToolCallResult: objectOf<ToolCallResult>({
      required: { toolCallId: string, toolName: string, args: anyObject, result: string, durationMs },
      optional: { error: string, artifacts: arrayOf(schemaRef("Artifact")) },
      example: examples.call,
    }),
    Artifact: objectOf<Artifact>({
      required: { type: string, data: { description: "Anything.", nullable: true } },
      optional: { mimeType: string },
      example: { type: "chart", data: { points: [1, 2] } },
    }),
    TokenUsage: usageSchema(),
    RunMetrics: objectOf<RunMetrics>({
      required: { inputTokens: count, outputTokens: count, totalTokens: count },
      optional: { timeToFirstTokenMs: durationMs, durationMs },
      example: { inputTokens: 12, outputTokens: 4, totalTokens: 16, durationMs: 812 },
    }),
    ...contentSchemas(),
  };
}

/**
 * Returns the OpenAPI schema of the output of an agent's or team's run, with this schema for its field `structured`.
 */
export function outputSchema(structured: Schema): Schema {
  return objectOf<PublicOutput>({
    required: {
      text: string,
      toolCalls: arrayOf(schemaRef("ToolCallResult")),
      usage: schemaRef("TokenUsage"),
      structured,
    },
    optional: {
      thinking: string,
      durationMs,
      timeToFirstTokenMs: durationMs,
      runId: string,
      agentName: string,
      sessionId: string,
      model: string,
      modelProvider: string,
      status: stringEnum("completed", "error"),
      createdAt: timestamp,
      metrics: schemaRef("RunMetrics"),
    },
    example: { text: "Take an umbrella.", toolCalls: [examples.call], usage: examples.usage, structured: null },
  });
}

/**
 * Returns the OpenAPI schema of a run's body as a form with files (`multipart/form-data`), the alternative to JSON
 * where uploads are on.
 */
export function formSchema(): Schema {
  const files = { type: "array", items: { type: "string", format: "binary" } };
  return {
    type: "object",
    properties: { input: string, files, ...runFields },
    additionalProperties: false,
    description: "A text, files, or both.",
  };
}

function messageInput(): Schema {
  const parts = { ...arrayOf(schemaRef("ContentPart")), minItems: 1, maxItems: 100 };
  return { oneOf: [{ type: "string", pattern: "\\S" }, parts], description: "A string, or an array of content parts." };
}

function usageSchema(): Schema {
  return objectOf<TokenUsage>({
    required: { promptTokens: count, completionTokens: count, totalTokens: count },
    optional: {
      reasoningTokens: count,
      cachedTokens: count,
      audioInputTokens: count,
      audioOutputTokens: count,
      providerMetrics: { ...anyObject, description: "The usage object of the vendor's last call." },
    },
    example: examples.usage,
    description: "The tokens of all model calls. Cached, reasoning and audio tokens are parts of the totals.",
  });
}

function contentSchemas(): Record<string, Schema> {
  const data: Schema = { type: "string", description: "Base64, a `data:` URL or an `http(s)` URL." };
  return {
    ContentPart: unionByType(
      { text: "TextPart", image: "ImagePart", audio: "AudioPart", file: "FilePart" },
      "One piece of a message.",
    ),
    TextPart: closedObjectOf<TextPart>({
      required: { type: stringEnum("text"), text: string },
      optional: {},
      example: { type: "text", text: "What is in this picture?" },
    }),
    ImagePart: closedObjectOf<ImagePart>({
      required: { type: stringEnum("image"), data },
      optional: { mimeType: string },
      example: { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
    }),
    AudioPart: closedObjectOf<AudioPart>({
      required: { type: stringEnum("audio"), data },
      optional: { mimeType: string },
      example: { type: "audio", data: "https://example.com/hello.mp3" },
    }),
    FilePart: closedObjectOf<FilePart>({
      required: { type: stringEnum("file"), data, mimeType: string },
      optional: { filename: string },
      example: { type: "file", data: "JVBERi0xLjQ=", mimeType: "application/pdf", filename: "plan.pdf" },
    }),
  };
}
